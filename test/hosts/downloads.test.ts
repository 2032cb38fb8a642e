import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostNames } from "../../src/config/host-names.ts";
import { startServer } from "../../src/serve/server.ts";
import { type Press, startPress } from "../support/archive.ts";
import {
  installed,
  isHere,
  type RunningHost,
  serverNames,
  startWebServer,
} from "../support/web-servers.ts";
import { startEmulated } from "./emulate.ts";

/*
 * The document shows neither the paths nor the fields of videos, documents and audio files: each origin's own links
 * are the only word about where their files are, and a client that changes nothing but the host asks there.
 */
const archives = [
  { name: "paths without an extension", root: "api/v1", links: "api", filePaths: undefined },
  {
    name: "paths of every kind",
    root: "api/v1",
    links: "file",
    filePaths: {
      videos: "/assets/{id}/film.webm",
      documents: "/Files/{id}/Paper+1.PDF",
      audio: "/a/{id}",
    },
  },
] as const;
const kinds = ["videos", "documents", "audio"] as const;
const hosts = ["serve", ...hostNames] as const;

interface Item {
  id: string;
  links: { download: string };
}

describe.each(archives)("$name, links as $links", ({ root, links, filePaths }) => {
  let press: Press;
  const running = new Map<string, RunningHost>();
  /** By path below the origin's host, without the signature: the file's digest and type. */
  const files = new Map<string, { sha256: string; signed: string }>();

  const digest = async (answer: Response): Promise<string> =>
    createHash("sha256")
      .update(new Uint8Array(await answer.arrayBuffer()))
      .digest("hex");

  async function itemsOf(base: string, kind: string): Promise<Item[]> {
    const headers = { Authorization: `Bearer ${press.origin.tokens.organisation}` };
    const answer = await fetch(`${base}/${kind}`, { headers });
    return ((await answer.json()) as { data: Item[] }).data;
  }

  beforeAll(async () => {
    press = await startPress({
      size: { articles: 24, galleries: 4, images: 6 },
      origin: { rate: null, privateMarker: null, ...(filePaths && { filePaths }) },
      config: {
        mirror: { links },
        media: { unproved: "publish", formats: ["jpeg"], variants: [] },
        hosts: hostNames as unknown as Record<string, unknown>,
      },
    });
    const { code, stderr } = await press.run("snapshot");
    expect([code, stderr]).toEqual([0, expect.anything()]);
    for (const kind of kinds) {
      for (const { links: own } of await itemsOf(press.origin.baseUrl, kind)) {
        const { pathname, search } = new URL(own.download);
        const answer = await fetch(own.download);
        files.set(pathname, { sha256: await digest(answer), signed: pathname + search });
      }
    }
    const { out } = press;
    const publicRoot = realpathSync(join(out, "public"));
    running.set("serve", await startServer({ publicRoot, root }));
    for (const [name, host] of await startEmulated(out)) running.set(name, host);
    for (const name of serverNames.filter(installed)) {
      const deploy = join(out, "deploy", name);
      running.set(name, await startWebServer(name, { publicRoot, deploy }));
    }
  }, 300_000);

  afterAll(async () => {
    for (const host of running.values()) await host.close();
    await press?.close();
  });

  it("are no findings of verify", async () => {
    const { code, report } = await press.run("verify", "--full");
    expect(report).toMatchObject({ findings: [] });
    expect(code).toBe(0);
  });

  it.each(hosts.filter(isHere))(
    "answers each link's path with the file and its type on %s",
    async (host) => {
      const server = running.get(host) as RunningHost;
      expect(files.size).toBeGreaterThan(5);
      for (const [path, { sha256, signed }] of files) {
        for (const target of [path, signed]) {
          const answer = await fetch(server.url + target);
          const type = answer.headers.get("content-type") ?? "";
          expect([target, answer.status, await digest(answer)]).toEqual([target, 200, sha256]);
          expect(type).toMatch(/^(?:video|audio)\/|^application\/pdf$/);
        }
      }
      const [path = ""] = files.keys();
      for (const other of [`${path}x`, `${path}/x`, `/${root}/nothing/download`]) {
        expect([other, (await fetch(server.url + other)).status]).toEqual([other, 404]);
      }
    },
  );

  it("leads there, or to the file itself where links name files", async () => {
    const server = running.get("serve")?.url ?? "";
    const paths = new Set(files.keys());
    for (const kind of kinds) {
      const [first] = await itemsOf(`${server}/${root}`, kind);
      const link = first?.links.download ?? "";
      expect((await fetch(link)).status).toBe(200);
      expect(paths.has(new URL(link).pathname)).toBe(links === "api");
    }
  });
});
