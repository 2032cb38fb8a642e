import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HostInput } from "../../src/hosts/host.ts";
import { hostConfigurations } from "../../src/hosts/hosts.ts";
import { redirectsIn } from "../../src/publish/deploy.ts";
import { hostInput } from "../../src/publish/host-input.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import type { MirrorDescription } from "../../src/routes/description.ts";
import { type RunningHost, type ServerName, startWebServer } from "../support/web-servers.ts";

export interface HostSettings {
  /** The publish root. */
  publicRoot: string;
  input: HostInput;
  /** Default: a free one. */
  port?: number;
}

/** Starts a server with the configuration that stillpress writes for an input. */
export async function startHost(
  host: ServerName,
  { publicRoot, input, port }: HostSettings,
): Promise<RunningHost> {
  const deploy = mkdtempSync(join(tmpdir(), `stillpress-deploy-${host}-`));
  const remove = (): void => rmSync(deploy, { recursive: true, force: true });
  for (const { path, content } of hostConfigurations[host](input).files) {
    mkdirSync(dirname(join(deploy, path)), { recursive: true });
    writeFileSync(join(deploy, path), content);
  }
  try {
    const { url, close } = await startWebServer(host, { publicRoot, deploy, port });
    return {
      url,
      async close() {
        await close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Everything that a configuration is made from, of a build's folder and its mirror's description. */
export function inputOf(build: string, description: MirrorDescription): HostInput {
  return hostInput(readBuildManifest(build).values(), description, redirectsIn(build));
}
