import { expect } from "vitest";
import { contentFile } from "./content.ts";
import { spelled } from "./personalities.ts";
import { checkPixels } from "./pixels.ts";
import { type Answer, differenceOf, type Host, type PersonalityName, type Row } from "./row.ts";
import { authorized, request, type World } from "./world.ts";

/** What a row says of one host: for hosts before personalities, and in their absence for everybody. */
export function expectedOf(row: Row, name: PersonalityName, host: Host): Answer {
  return differenceOf(row, host) ?? row.on?.[name] ?? row;
}

/** What was answered. */
interface Got {
  status: number;
  type: string;
  /** Address of the answer, after redirects. */
  url: string;
  bytes: Buffer;
}

interface Asked {
  world: World;
  host: Host;
  row: Row;
}

/** Asks a host what a row asks, and holds its answer against the row. */
export async function check(asked: Asked, expected: Answer): Promise<void> {
  const { row } = asked;
  let got = await get(addressOf(row.ask, asked), row);
  if (row.follow !== undefined) {
    const links = row.follow.map((path) => memberOf(jsonOf(got), path));
    got = await get(addressOfLink(links.find(Boolean), got, asked), row);
  }
  const { status = 200, type } = expected;
  if (status === "none") expect(got.status).not.toBe(200);
  else expect(got.status).toBe(status);
  if (type !== undefined) expect(got.type).toBe(type);
  if (row.method === "HEAD") expect(got.bytes).toHaveLength(0);
  const { text, lacks, file } = expected;
  if (text !== undefined) expect(got.bytes.toString()).toContain(text);
  if (lacks !== undefined) expect(got.bytes.toString()).not.toContain(lacks);
  if (file !== undefined) {
    expect(got.bytes.equals(contentFile(asked.world.content, file)), file).toBe(true);
  }
  checkItems(got, expected, asked.world);
  await checkLinks(got, expected, asked);
  await checkPixels(got.bytes, expected);
}

function checkItems(got: Got, { names, is = {} }: Answer, { ids }: World): void {
  if (names !== undefined) {
    const items = itemsOf(got);
    expect(items.map(nameOf).join(" ")).toBe(names);
    for (const item of items) {
      if (item.id !== undefined) expect(item.id).toBe(ids.get(nameOf(item)));
    }
  }
  for (const [path, wanted] of Object.entries(is)) {
    const value = memberOf(jsonOf(got), path);
    if (wanted instanceof RegExp) expect(value, path).toMatch(wanted);
    else expect(value, path).toBe(wanted);
  }
}

async function checkLinks(got: Got, { links = {} }: Answer, asked: Asked): Promise<void> {
  const { world, host, row } = asked;
  for (const [path, wanted] of Object.entries(links)) {
    const link = memberOf(jsonOf(got), path);
    if (wanted === null || link === null) {
      expect(link, path).toBe(wanted);
      continue;
    }
    const address = addressOfLink(link, got, asked);
    const base = world.bases.get(host) ?? "";
    if (host === "origin" || world.personality.config.mirror.links === "api") {
      const { pathname, search } = new URL(base + filled(wanted, world));
      expect(unsigned(address), path).toBe(pathname + search);
    }
    const [linked, direct] = [await get(address, row), await get(addressOf(wanted, asked), row)];
    expect(linked.status, path).toBe(200);
    if (direct.type === "application/json") {
      expect(itemsOf(linked).map(nameOf), path).toEqual(itemsOf(direct).map(nameOf));
    } else expect(linked.bytes.equals(direct.bytes), path).toBe(true);
  }
}

async function get(url: string, { method, token }: Row): Promise<Got> {
  const headers = token === false ? {} : authorized;
  const answer = await request(url, { method: method ?? "GET", headers });
  return {
    status: answer.status,
    type: (answer.headers.get("content-type") ?? "").split(";")[0] ?? "",
    url: answer.url,
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

/** The address of a request on a host, signed where the origin signs. */
function addressOf(ask: string, { world, host }: Pick<Asked, "world" | "host">): string {
  const path = filled(ask, world);
  const url = (world.bases.get(host) ?? "") + path;
  const signature = world.signatures.get(path.replace(/\?.*/, ""));
  if (signature === undefined || /[?&]expires=/.test(url)) return url;
  return url + (url.includes("?") ? "&" : "?") + signature;
}

/** A request with ids for names, in the spelling of the origin. */
function filled(ask: string, { ids, personality }: World): string {
  const path = ask.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`the origin shows nothing called ${name}`);
    return encodeURIComponent(id);
  });
  return spelled(path, personality);
}

/** Where a link of an answer leads. The archive's own address is that of the host that is asked. */
function addressOfLink(link: unknown, got: Got, { world, host }: Asked): string {
  if (typeof link !== "string") throw new Error(`expected a link, got ${String(link)}`);
  const url = new URL(link, got.url);
  const home = world.personality.config.site.url;
  if (home !== null && url.origin === home) {
    return new URL(url.pathname + url.search, world.bases.get(host)).href;
  }
  expect(url.host).toBe(new URL(world.bases.get(host) ?? "").host);
  return url.href;
}

/** Path and query of a signed link without what signs it. */
function unsigned(address: string): string {
  const { pathname, search } = new URL(address);
  const kept = search.split(/[?&]/).filter((one) => !/^(?:expires=|signature=|$)/.test(one));
  return pathname + (kept.length === 0 ? "" : `?${kept.join("&")}`);
}

interface Listed {
  id?: string;
  slug?: string;
  title?: string;
}

function itemsOf(got: Got): Listed[] {
  return (jsonOf(got) as { data: Listed[] }).data;
}

function nameOf({ slug, title }: Listed): string {
  return slug ?? title ?? "";
}

function jsonOf({ bytes }: Got): unknown {
  return JSON.parse(bytes.toString());
}

function memberOf(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((member, name) => {
    return (member as Record<string, unknown> | null | undefined)?.[name];
  }, value);
}
