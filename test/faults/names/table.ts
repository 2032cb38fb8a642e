import { WireCategory, WireTag } from "../../../src/api/schema.ts";
import { ConfigSchema } from "../../../src/config.ts";
import { assignPermalinks, type Named } from "../../../src/routes/permalinks.ts";
import { encodeSegment } from "../../../src/routes/segments.ts";
import { mediaEnding, sitePaths } from "../../../src/routes/site.ts";
import {
  type ApiRequest,
  attachmentRoutes,
  createRoutes,
  type JsonRequest,
} from "../../../src/routes/table.ts";
import { hostileName } from "./grammar.ts";
import { faultOfPath, Places, Tally } from "./rules.ts";

/** What the route table did with names. */
export interface TableFinding {
  names: number;
  /** Names that the schema of the API's objects lets nobody bring in. */
  refused: number;
  paths: number;
  tally: Tally;
}

const baseUrl = "https://origin.test/api/v1";
const routes = createRoutes(ConfigSchema.parse({ origin: { baseUrl } }));
/** Names whose places are compared with each other at a time, which bounds the memory. */
const batch = 50_000;

/**
 * Puts names through everything that makes a path of them, and checks each path by the rules of file systems and
 * each address by asking which request it is.
 */
export function putThroughTable(
  seed: number,
  count: number,
  note: (done: number) => void,
): TableFinding {
  const finding: TableFinding = { names: 0, refused: 0, paths: 0, tally: new Tally() };
  for (let first = 0; first < count; first += batch) {
    checkBatch(seed, first, Math.min(first + batch, count), finding);
    note(finding.names);
  }
  return finding;
}

function checkBatch(seed: number, first: number, end: number, finding: TableFinding): void {
  const { tally } = finding;
  const segments = new Places();
  const named: Named[] = [];
  const slugs: Named[] = [];
  for (let number = first; number < end; number++) {
    const { kind, name } = hostileName(seed, number);
    finding.names++;
    const id = WireCategory.safeParse({ id: name, slug: name }).data?.id;
    const slug = WireTag.safeParse({ slug: name }).data?.slug;
    if (id === undefined || slug === undefined) {
      finding.refused++;
      continue;
    }
    named.push({ id: `id ${number}`, slug, createdAt: null });
    slugs.push({ id: slug, slug, createdAt: null });
    const clash = segments.take(encodeSegment(id), id);
    if (clash !== undefined) tally.add("one segment for two names", shown(kind, `${clash}, ${id}`));
    checkPaths(id, number, (fault, path) => tally.add(fault, shown(kind, name, path)), finding);
    checkAddress(id, number, (fault) => tally.add(fault, shown(kind, name)));
    checkLink(name, number, (fault) => tally.add(fault, shown(kind, name)));
  }
  checkPermalinks(named, finding);
  // Tags are keyed by their slug, so that each stands for itself once.
  checkPermalinks([...new Map(slugs.map((one) => [one.id, one])).values()], finding);
}

function shown(...parts: string[]): string {
  return parts.map((part) => JSON.stringify(part)).join(" ");
}

/** Every request that an id or a filter can be part of, one after the other for one name after the other. */
function requestOf(id: string, number: number): JsonRequest {
  const requests: readonly (() => JsonRequest)[] = [
    () => ({ route: "single", index: "articles", id }),
    () => ({ route: "single", index: "galleries", id }),
    () => ({ route: "single", index: "images", id }),
    () => ({ route: "index", index: "articles", page: 1, filters: { category: id } }),
    () => ({
      route: "index",
      index: "articles",
      page: 3,
      filters: { year: 2024, month: 2, tags: [id.replaceAll(",", "") || "tag", "other"] },
    }),
    ...attachmentRoutes.map(
      ({ parent, kind }) =>
        () =>
          ({ route: "attachments", parent, kind, id, page: 1 + (number % 3) }) as const,
    ),
  ];
  return (requests[number % requests.length] as () => JsonRequest)();
}

function checkPaths(
  id: string,
  number: number,
  fail: (fault: string, path: string) => void,
  finding: TableFinding,
): void {
  const slot = ["web", "thumb/square", "width/640"][number % 3] as string;
  const paths = [routes.fileOf(requestOf(id, number)), sitePaths.image(id)];
  if (number % 2 === 0) paths.push(routes.fileOfImage(id, slot, "jpeg"));
  else paths.push(routes.fileOfOriginal(id, mediaEnding(id)));
  for (const path of paths) {
    if (path === undefined) continue;
    finding.paths++;
    const fault = faultOfPath(path);
    if (fault !== undefined) fail(fault, path);
  }
}

function checkAddress(id: string, number: number, fail: (fault: string) => void): void {
  const binaries: ApiRequest[] = [
    { route: "download", id },
    { route: "binary", id, scaling: { width: 640 } },
  ];
  const request = number % 5 === 0 ? binaries[number & 1] : requestOf(id, number);
  // The API itself has one address for the image `x.jpg` and for the file of the image `x`.
  if (request === undefined || (isImage(request) && id.endsWith(".jpg"))) return;
  try {
    const url = routes.urlOf(request);
    const found = url === undefined ? request : routes.resolve(url);
    if (found === undefined || spelled(found) !== spelled(request)) {
      fail(`the address of a ${request.route} is taken for another request`);
    }
  } catch (error) {
    fail(`no address can be made: ${String(error)}`);
  }
}

function isImage(request: ApiRequest): boolean {
  return request.route === "single" && request.index === "images";
}

/** A request as one text, whatever the order of its members; those that are undefined do not matter. */
function spelled(request: ApiRequest): string {
  return JSON.stringify(Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A link whose path somebody wrote by hand. */
function checkLink(name: string, number: number, fail: (fault: string) => void): void {
  const parent = ["articles", "images", "articles/x/images?page=", "galleries"][number % 4];
  const links = [`${baseUrl}/${parent}/${name}`, `//origin.test/api/v1/${parent}/${name}`, name];
  try {
    const request = routes.resolve(links[number % links.length] as string);
    if (request === undefined || request.route === "binary" || request.route === "download") return;
    const file = routes.fileOf(request);
    const fault = file === undefined ? undefined : faultOfPath(file);
    if (fault !== undefined) fail(`${fault} in the file of a link`);
  } catch (error) {
    fail(`a link cannot be resolved: ${String(error)}`);
  }
}

function checkPermalinks(named: readonly Named[], finding: TableFinding): void {
  const names = assignPermalinks(named, "slug");
  const pages = new Places();
  for (const { id, slug } of named) {
    const name = names.get(id);
    if (name === undefined) {
      finding.tally.add("no permalink", shown(slug));
      continue;
    }
    for (const path of [sitePaths.article(name), sitePaths.category(name, 1)]) {
      finding.paths++;
      const fault = faultOfPath(path, "any");
      if (fault !== undefined) finding.tally.add(`${fault} in a permalink`, shown(slug, id, path));
    }
    const clash = pages.take(sitePaths.article(name), id);
    if (clash !== undefined) finding.tally.add("one permalink for two items", shown(clash, id));
  }
}

/** All files that have to do with each of some names, side by side: none may be another's, or its folder. */
export function putSideBySide(seed: number, count: number): { files: number; tally: Tally } {
  const tally = new Tally();
  const places = new Places();
  for (let number = 0; number < count; number++) {
    const { kind, name } = hostileName(seed + 1, number);
    const id = WireCategory.safeParse({ id: name }).data?.id;
    if (id === undefined) continue;
    for (const [path, owner] of filesFor(id)) {
      const clash = places.take(path, owner);
      if (clash !== undefined) tally.add("one file for two answers", shown(kind, clash, owner));
    }
  }
  for (const path of places.foldersInTheWay()) tally.add("a file where a folder must be", path);
  return { files: places.size, tally };
}

function* filesFor(id: string): Generator<[path: string, owner: string]> {
  for (let number = 0; number < 12 * 3; number++) {
    const request = requestOf(id, number);
    const path = routes.fileOf(request);
    if (path !== undefined) yield [path, JSON.stringify(request)];
  }
  for (const slot of ["web", "thumb/square", "width/640", "width/600/height/400"]) {
    for (const format of ["jpeg", "webp", "avif"] as const) {
      yield [routes.fileOfImage(id, slot, format), `${slot} ${format} ${id}`];
    }
  }
  // Its origin's extension is anything; an image has one original only.
  for (const ending of ["jpg", "json", "html", id]) {
    yield [routes.fileOfOriginal(id, mediaEnding(ending)), `original ${id}`];
  }
  yield [sitePaths.image(id), `page of ${id}`];
}
