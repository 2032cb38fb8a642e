import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import type { HostInput } from "../../src/hosts/host.ts";
import { descriptionOf } from "../../src/publish/deploy.ts";
import { hostInput } from "../../src/publish/host-input.ts";
import type { MirrorDescription } from "../../src/routes/description.ts";
import { isFiltered } from "../../src/routes/filters.ts";
import { longestTarget } from "../../src/routes/requests.ts";
import { rulesOf } from "../../src/routes/rules.ts";
import { encodeSegment } from "../../src/routes/segments.ts";
import { nearestSlotOf } from "../../src/routes/slots.ts";
import { type ApiRequest, createTable } from "../../src/routes/table.ts";
import { startPress } from "../support/archive.ts";
import { combinationOf } from "../support/combination.ts";
import { inputOf } from "./servers.ts";

/** A published archive, and what its hosts are told. */
export interface Archive {
  publicRoot: string;
  input: HostInput;
  remove(): void;
}

/** An archive of the demo origin. */
export async function pressed(personality: "plain" | "odd"): Promise<Archive> {
  const press = await startPress({
    personality,
    config: {
      media: {
        variants: [
          { width: 320 },
          { width: 640 },
          { height: 480 },
          { width: 600, height: 400 },
          { scale: 50 },
        ],
      },
    },
    size: { articles: 24, galleries: 4, images: 10 },
  });
  const run = await press.run("snapshot");
  if (run.code !== 0) throw new Error(run.stderr);
  const publicRoot = realpathSync(join(press.out, "public"));
  await press.origin.close();
  const root = personality === "plain" ? "api/v1" : "v2/content";
  const build = dirname(publicRoot);
  return {
    publicRoot,
    input: inputOf(build, descriptionOf(build, root)),
    remove: () => rmSync(press.folder, { recursive: true, force: true }),
  };
}

const upperUuid = "0A1B2C3D-0000-4000-8000-00000000ABCD";
/** Values that are no segments as they are. */
export const oddValues = [
  "Grün & Blau",
  "a/b",
  "50%",
  "x+y",
  "con",
  "index",
  "a_b",
  "{id}",
  "News",
  'say "hi"',
  upperUuid,
  "Über uns",
  "новости-культуры-и-искусства-города",
  "é".repeat(90),
  `${"é b ".repeat(11)}c`,
];

/**
 * A tiny archive of which every file says its own path, of an origin with endpoints that have fixed parameters, and
 * of ids and names that are no segments; of these `many` times three more.
 */
export function handmade(many = 0): Archive {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-handmade-"));
  const configFile = join(folder, "config.json");
  const filters = [
    "year",
    "year+month",
    "category",
    "tag",
    "tag+tag",
    "year+category",
    "category+tag",
  ];
  writeFileSync(
    configFile,
    JSON.stringify({
      origin: {
        baseUrl: "http://127.0.0.1:9/media.v2/api",
        paths: {
          articleImages: "/attachments?article={id}&kind=image",
          articleVideos: "/attachments?article={id}&kind=moving%20picture",
          articleDocuments: "/articles/{id}/documents",
          articleAudio: "/articles/a-{id}.sound/audio",
          galleryImages: "/galleries/{id}.images",
          galleryVideos: "/galleries/{id}/all(films)",
          galleryAudio: "/galleries/{id}.audio",
          image: "/image-record?id={id}",
          videos: "/media/films",
          documents: "/list?kind=documents",
          audio: null,
        },
      },
      mirror: { filters },
      media: {
        web: { width: 1000 },
        variants: [
          { width: 90 },
          { width: 640 },
          { height: 480 },
          { width: 600, height: 400 },
          { scale: 12.5 },
          { scale: 100 },
        ],
      },
    }),
  );
  const { config } = loadConfig({ file: configFile, env: {} });
  const rules = rulesOf(config);
  const table = createTable(rules);
  const ids = ["plain-1", "7", "ends.json", ...oddValues];
  const requests: ApiRequest[] = [];
  for (const { target } of rules.endpoints) {
    const paged = (page: number): void => {
      if (target.route === "index") requests.push({ ...target, page });
      if (target.route === "attachments")
        for (const id of ids) requests.push({ ...target, id, page });
    };
    paged(1);
    paged(2);
    if (target.route === "all") requests.push({ ...target });
    if (target.route === "single") for (const id of ids) requests.push({ ...target, id });
  }
  const index = { route: "index", index: "articles" } as const;
  for (const name of ["news", ...oddValues]) {
    requests.push({ ...index, page: 1, filters: { category: name } });
    requests.push({ ...index, page: 1, filters: { tags: [name] } });
    requests.push({ ...index, page: 2, filters: { tags: [name] } });
    requests.push({ ...index, page: 1, filters: { tags: [name, "sport"] } });
    requests.push({ ...index, page: 1, filters: { tags: ["sport", name] } });
    requests.push({ ...index, page: 1, filters: { year: 2024, category: name } });
    requests.push({ ...index, page: 1, filters: { category: name, tags: ["sport"] } });
  }
  for (const year of [7, 2024]) {
    requests.push({ ...index, page: 1, filters: { year } });
    requests.push({ ...index, page: 1, filters: { year, month: 5 } });
    requests.push({ route: "index", index: "galleries", page: 1, filters: { year } });
  }
  const publicRoot = join(folder, "public");
  const files: { path: string; key: string; bytes: number; sha256: string; url?: string }[] = [];
  const write = (path: string, url?: string): void => {
    const content = path.endsWith(".json") ? JSON.stringify({ path }) : `${path}\n`;
    mkdirSync(dirname(join(publicRoot, path)), { recursive: true });
    writeFileSync(join(publicRoot, path), content);
    files.push({ path, key: path, bytes: content.length, sha256: "", ...(url && { url }) });
  };
  for (const request of requests) {
    if (request.route === "binary" || request.route === "download") continue;
    write(table.fileOf(request) ?? "", `/${rules.root}${table.pathOf(request)}`);
  }
  const slots = ["web", ...["square", "portrait", "landscape"].map((shape) => `thumb/${shape}`)];
  slots.push(...rules.slots.boxes.map(([, , slot]) => slot));
  for (const list of [rules.slots.widths, rules.slots.heights, rules.slots.scales]) {
    slots.push(...list.map(([, slot]) => slot));
  }
  for (const [at, id] of ids.entries()) {
    for (const slot of new Set(slots)) write(table.fileOfImage(id, slot, "jpeg"));
    const linked = table.linkedFileOfImage(id, "web", "jpeg");
    if (linked !== table.fileOfImage(id, "web", "jpeg")) write(linked);
    const ending = at === 1 ? ".png" : at === 2 ? ".svg.txt" : ".jpg";
    write(
      table.fileOfOriginal(id, ending),
      `/${rules.root}${table.pathOf({ route: "download", id })}`,
    );
  }
  for (const [at, id] of ids.filter((text) => !text.includes("/")).entries()) {
    const ending = [".mp4", ".pdf", ".svg.txt"][at % 3] ?? "";
    for (const path of [
      `/films/${encodeURIComponent(id)}/download`,
      `/f/${encodeURIComponent(id)}`,
    ]) {
      write(table.fileOfLink(path, ending) ?? "", `/${rules.root}${path}`);
    }
  }
  const long = `/${"Ж".repeat(20)}`.repeat(10);
  write(table.fileOfLink(long, ".mp4") ?? "", `/${rules.root}${encodeURI(long)}`);
  for (const name of ["articles", "galleries"] as const) write(table.emptyFileOf(name));
  for (const path of [
    `${rules.root}/404.json`,
    "404.html",
    "index.html",
    "articles/index.html",
    "articles/旧灯塔.html",
    "tags/البحر-والناس/index.html",
    "assets/style.css",
    "media/ab/x.svg.txt",
  ]) {
    write(path);
  }
  const description: MirrorDescription = {
    stillpress: 1,
    rules,
    links: "api",
    url: null,
    tagMatch: "any",
    media: config.media,
    originals: [".jpg", ".png", ".svg.txt"],
    answers: "files",
  };
  const input = hostInput(files, description);
  // So many that hosts find them otherwise than a few.
  for (let at = 0; at < many; at++) {
    const value = `0A1B2C3D-0000-4000-8000-${String(at).padStart(12, "0")}`;
    input.names.push({ value, segment: encodeSegment(value) });
    input.names.push({ value: `Name-${at}`, segment: encodeSegment(`Name-${at}`) });
    input.names.push({ value: `NAME-${at}`, segment: encodeSegment(`NAME-${at}`) });
  }
  return {
    publicRoot,
    input,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What every host answers: a status, and the file that is sent or, with 302 and 301, led to. */
export interface Expected {
  status: number;
  file?: string;
}

/** What the rules of a mirror say of a request with GET, on a host that has nothing but the files. */
export function expectedOf({ publicRoot, input }: Archive, target: string): Expected {
  const { rules, redirects, notFound } = input;
  const table = createTable(rules);
  const mark = target.indexOf("?");
  const raw = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  if (target.length > longestTarget) return { status: 414 };
  if (/\/(?:\.|%2e){1,2}(?:\/|$)|\\|%5c/i.test(raw)) return { status: 400 };
  const path = decodeURIComponent(raw);
  const below = path === `/${rules.root}` || path.startsWith(`/${rules.root}/`);
  const missing = { status: 404, file: below ? notFound.api : notFound.site };
  if (/%2f|\/\//i.test(raw)) return missing;
  const exists = (file: string): boolean => isFile(join(publicRoot, file));
  const named = path.slice(1);
  if (!below) {
    if (exists(named) && !path.endsWith("/")) return { status: 200, file: named };
    if (path.endsWith("/") && exists(`${named}index.html`)) {
      return { status: 200, file: `${named}index.html` };
    }
    return exists(`${named}/index.html`) ? { status: 301, file: `${named}/` } : missing;
  }
  const request = table.match(raw.slice(`/${rules.root}`.length), query);
  if (request?.route === "binary") {
    const file = table.fileOfImage(request.id, nearestSlotOf(rules.slots, request.scaling), "jpeg");
    return exists(file) ? { status: 200, file } : missing;
  }
  // Behind the link to a web version is the same picture.
  const web = named.replace("/images/by/web/", "/images/");
  if (web !== named && exists(web)) return { status: 200, file: web };
  if (exists(named) && !path.endsWith("/")) return { status: 200, file: named };
  if (request === undefined) {
    const below = raw.slice(`/${rules.root}`.length);
    const files = input.linked.endings.map((ending) => table.fileOfLink(below, ending) ?? "");
    const file = files.find(exists);
    return file === undefined ? missing : { status: 200, file };
  }
  if (request.route === "download") {
    const { id } = request;
    const files = input.originalEndings.map((ending) => table.fileOfOriginal(id, ending));
    const file = files.find(exists);
    return file === undefined ? missing : { status: 200, file };
  }
  const file = table.fileOf(request) ?? "";
  const filters = request.route === "index" ? request.filters : undefined;
  if (isFiltered(filters) && !rules.filters.includes(combinationOf(filters) ?? "")) return missing;
  const elsewhere =
    redirects &&
    (request.route !== "single" || dirname(named) !== dirname(file) || path.endsWith("/"));
  const status = elsewhere ? 302 : 200;
  if (exists(file)) return { status, file };
  if (request.route !== "index" || !isFiltered(filters) || request.page > 1) return missing;
  // Of two tags, of which any counts, one that nobody knows leaves what the other one lists.
  if (input.tagMatch === "any" && (filters.tags?.length ?? 0) > 1) return missing;
  return { status, file: table.emptyFileOf(request.index as "articles" | "galleries") };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Names of what lies in a folder of an archive, without extensions; none where there is no such folder. */
export function namesIn({ publicRoot }: Archive, folder: string): string[] {
  const path = join(publicRoot, folder);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(path).map((name) => name.replace(/\.[a-z]+$/, ""));
}
