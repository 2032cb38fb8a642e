import { realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { type Comparison, compareMirror, learnOrigin } from "../../src/compare/compare.ts";
import { hostNames } from "../../src/config/host-names.ts";
import { loadConfig } from "../../src/config/load.ts";
import { descriptionOf } from "../../src/publish/deploy.ts";
import { publishedSettings } from "../../src/publish/record.ts";
import { rulesOf } from "../../src/routes/rules.ts";
import { startServer } from "../../src/serve/server.ts";
import { type Press, startPress } from "../support/archive.ts";
import { installed, type RunningHost, serverNames } from "../support/web-servers.ts";
import { startEmulated } from "./emulate.ts";
import { inputOf, startHost } from "./servers.ts";

/** Requests for each server; STILLPRESS_SAMPLE asks for more, or for fewer in a hurry. */
const sample = Number(process.env.STILLPRESS_SAMPLE ?? 3_000);

const all = ["serve", ...hostNames] as const;

export interface DropIn {
  personality: "plain" | "odd";
  /** Sections of the configuration. */
  sections?: Record<string, Record<string, unknown>>;
  /** Of the sample of requests, which is large. */
  share?: number;
}

/**
 * The suite of one archive on every host: each answers as the origin does. The archives have files of their own, so
 * that they are compared side by side.
 */
export function testDropIn({ personality, sections = {}, share = 1 }: DropIn): void {
  const requests = sample * share;
  let press: Press;
  let comparisons: Map<string, Comparison>;
  const hosts = new Map<string, RunningHost>();

  beforeAll(async () => {
    press = await startPress({
      personality,
      size: { articles: 120, galleries: 24, images: 60 },
      // Everybody asks at once here; the rate has tests of its own. Nothing tells which images are private.
      origin: { rate: null, privateMarker: null },
      config: {
        ...sections,
        origin: { rate: { requests: 1_000_000, perSeconds: 1 } },
        // Nothing that the origin shows is left out on purpose.
        media: { unproved: "publish", formats: ["jpeg"] },
        hosts: hostNames as unknown as Record<string, unknown>,
      },
    });
    const { code, stderr } = await press.run("snapshot");
    expect([code, stderr]).toEqual([0, expect.anything()]);
    await startAll();
    comparisons = await compareAll();
  }, 600_000);

  afterAll(async () => {
    for (const host of hosts.values()) await host.close();
    await press.close();
  });

  async function startAll(): Promise<void> {
    const { out } = press;
    const { root } = rulesOf(publishedSettings(out));
    const publicRoot = join(out, "public");
    hosts.set("serve", await startServer({ publicRoot, root }));
    for (const [name, host] of await startEmulated(out)) hosts.set(name, host);
    const build = join(realpathSync(publicRoot), "..");
    const input = inputOf(build, descriptionOf(build, root));
    for (const name of serverNames) {
      if (installed(name)) hosts.set(name, await startHost(name, { publicRoot, input }));
    }
  }

  async function compareAll(): Promise<Map<string, Comparison>> {
    const { config } = loadConfig({ file: press.configFile, env: {} });
    const { root } = rulesOf(config);
    const client = createClient({ config, token: press.origin.tokens.organisation });
    const origin = await learnOrigin(config, client, { seed: 7 });
    const found = new Map<string, Comparison>();
    try {
      for (const [name, { url }] of hosts) {
        const asked = { baseUrl: `${url}/${root}`, sample: requests, seed: 7 };
        found.set(name, await compareMirror(origin, asked));
      }
      return found;
    } finally {
      origin.reader.close();
      await client.close();
    }
  }

  it("could be compared in every request", () => {
    for (const { asked, uncompared } of comparisons.values()) {
      expect(uncompared).toEqual([]);
      expect(asked).toBe(requests);
    }
  });

  it.for(all)("answers as the origin does on %s", (name, { skip }) => {
    const server = serverNames.find((one) => one === name);
    if (server !== undefined && !installed(server)) {
      if (process.env.CI) throw new Error(`${name} is not installed`);
      skip(`${name} is not installed`);
    }
    expect(comparisons.get(name)?.differences).toEqual([]);
  });
}
