import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { installed, startWebServer } from "../support/web-servers.ts";
import { writeContent } from "./content.ts";
import { type Personality, personalities, spelled } from "./personalities.ts";
import type { Host, PersonalityName } from "./row.ts";
import { startWorker } from "./worker.ts";

const command = new URL("../../dist/cli/main.js", import.meta.url).pathname;
const token = "demo-organisation-token";

/** An origin of a personality, and its archive on every host. */
export interface World {
  personality: Personality;
  /** Folder of the content. */
  content: string;
  /** Address of the API on each host: "http://127.0.0.1:40123/api/v1". */
  bases: Map<Host, string>;
  /** Ids at the origin, by slug or title. */
  ids: Map<string, string>;
  /** `expires` and `signature` of the origin's links, by their path below the base. */
  signatures: Map<string, string>;
  close(): Promise<void>;
}

/** Presses the content once and starts everything that is installed here. */
export async function startWorld(name: PersonalityName): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-contract-"));
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const world = await settle(name, folder, closing);
    return { ...world, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function settle(
  name: PersonalityName,
  folder: string,
  closing: (() => Promise<void>)[],
): Promise<Omit<World, "close">> {
  const personality = personalities[name];
  const content = join(folder, "content");
  await writeContent(content);
  const start = async (...args: string[]): Promise<Record<string, string>> => {
    const { said, close } = await launch([...args, "--port", "0", "--json"]);
    closing.push(close);
    return JSON.parse(said) as Record<string, string>;
  };
  const demo = ["demo", "--origin-only", "--personality", name, "--content", content];
  const { baseUrl = "" } = await start(...demo);
  const configFile = join(folder, "config.json");
  writeFileSync(configFile, JSON.stringify(configuration(personality, baseUrl, folder)));
  const run = promisify(execFile);
  await run(process.execPath, [command, "snapshot", "--config", configFile, "--quiet"], {
    env: { PATH: process.env.PATH, STILLPRESS_TOKEN: token },
  });

  const publicRoot = join(folder, "out/public");
  const deploy = (host: string): string => join(folder, "out/deploy", host);
  const bases = new Map<Host, string>([["origin", baseUrl]]);
  const add = (host: Host, url: string): void => {
    bases.set(host, url + personality.root);
  };
  add("serve", (await start("serve", "--config", configFile)).url ?? "");
  for (const host of ["nginx", "caddy", "apache"] as const) {
    if (!installed(host)) continue;
    const server = await startWebServer(host, { publicRoot, deploy: deploy(host) });
    closing.push(server.close);
    add(host, server.url);
  }
  const worker = await startWorker(publicRoot, deploy("cloudflare"));
  closing.push(worker.close);
  add("worker", worker.url);
  return { personality, content, bases, ...(await itemsOf(baseUrl, personality)) };
}

function configuration({ paths, config }: Personality, baseUrl: string, folder: string): object {
  return {
    origin: { baseUrl, paths, rate: { requests: 90, perSeconds: 1 }, ...config.origin },
    media: { formats: ["jpeg"], ...config.media },
    site: config.site,
    mirror: config.mirror,
    hosts: ["nginx", "caddy", "apache", "cloudflare"],
    out: join(folder, "out"),
  };
}

/** Starts a command that goes on, and resolves with the first line it says. */
async function launch(args: string[]): Promise<{ said: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH },
  });
  for await (const said of createInterface({ input: child.stdout })) {
    return { said, close: () => ended(child) };
  }
  throw new Error(`stillpress ${args.join(" ")} said nothing`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exit;
}

/** Reads what the origin lists, as any client would: nothing here knows how ids are made. */
async function itemsOf(
  baseUrl: string,
  personality: Personality,
): Promise<Pick<World, "ids" | "signatures">> {
  const ids = new Map<string, string>();
  const signatures = new Map<string, string>();
  const lists = ["/articles", "/galleries", "/images?private=1", "/categories"];
  const keep = (items: readonly Item[]): void => {
    for (const { id, slug, title } of items) ids.set(slug ?? title, id);
    keepSigned(items, baseUrl, signatures);
  };
  const read = async (path: string): Promise<void> => {
    let next: string | null = baseUrl + spelled(path, personality);
    while (next !== null) {
      const answer = await request(next, { headers: authorized });
      if (answer.status !== 200) return;
      const { data, links } = (await answer.json()) as Listing;
      keep(data);
      next = links?.next ? new URL(links.next, baseUrl).href : null;
    }
  };
  for (const path of lists) await read(path);
  for (const kind of ["videos", "documents", "audio"]) {
    await read(`/articles/${ids.get("dogwood")}/${kind}`);
  }
  return { ids, signatures };
}

interface Item {
  id: string;
  title: string;
  slug?: string;
}

interface Listing {
  data: Item[];
  links?: { next?: string | null };
}

function keepSigned(value: unknown, baseUrl: string, signatures: Map<string, string>): void {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) keepSigned(member, baseUrl, signatures);
  } else if (typeof value === "string" && value.includes("signature=")) {
    const { pathname, search } = new URL(value, baseUrl);
    const signed = search.split(/[?&]/).filter((one) => /^(?:expires|signature)=/.test(one));
    const base = new URL(baseUrl).pathname.replace(/\/$/, "");
    signatures.set(pathname.slice(base.length), signed.join("&"));
  }
}

export const authorized = { Accept: "application/json", Authorization: `Bearer ${token}` };

/** As `fetch`; waits where the origin's rate limit says so. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, init);
    if (answer.status !== 429) return answer;
    await answer.arrayBuffer();
    await delay(300);
  }
}
