import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { StoreError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { isErrno } from "../lib/files.ts";
import { dice } from "../lib/random.ts";
import type { Reporter } from "../lib/reporter.ts";
import { andMore } from "../lib/words.ts";
import { descriptionFile, type MirrorDescription } from "../routes/description.ts";
import { urlPath } from "../routes/site.ts";
import { MappedUrl } from "../routes/url-map.ts";
import { compareJson } from "./answers.ts";
import { createServerClient, type ServerAnswer } from "./fetch.ts";
import { cutFileText, mirrorUrls } from "./references.ts";

export interface ReplayOptions {
  urlMap: string;
  /** The publish root that it describes. */
  root: string;
  description: MirrorDescription;
  /** Address of the publish root on the host. */
  baseUrl: string;
  /** Whether files are asked for by their own paths, of a host that knows nothing of the API's URLs. */
  files: boolean;
  /** All URLs where it is undefined. */
  sample?: number | undefined;
  seed: number;
  token?: string | undefined;
  reporter: Reporter;
  signal?: AbortSignal | undefined;
}

interface Finding {
  kind: "unreachable" | "status" | "type" | "size" | "content";
  text: string;
}

const listed = 1000;
const connections = 8;

/**
 * Asks a host for the URLs of an archive and compares the answers with the files. JSON of the mirror is also right if
 * only its links were rewritten. Returns the number of differences, and the first ones.
 *
 * @throws StoreError where the map is missing or damaged, or the host does not answer
 */
export async function replayUrls(options: ReplayOptions) {
  const { urlMap, description, sample, seed, reporter, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const map = await readUrlMap(urlMap);
  const urls = options.files ? ownPaths(map) : map;
  const chosen = sample === undefined ? urls : dice(seed).some(urls, sample);
  const server = createServerClient(baseUrl, { token: options.token, connections, signal });
  const progress = reporter.stage("verifying", chosen.length);
  /** By the place of the URL, because several are asked side by side. */
  const found: (Finding & { url: string })[][] = [];
  let notRedirected = 0;
  try {
    const home = await server.ask(`${baseUrl}/`, { discard: true });
    if (home.failed !== undefined) {
      throw new StoreError(`${baseUrl}: ${home.failed}`, { hint: "check --base-url" });
    }
    await eachLimited(chosen.entries(), connections, async ([at, mapped]) => {
      signal?.throwIfAborted();
      const { url, file } = mapped;
      const isJson = mapped.type.startsWith("application/json");
      const answer = await server.ask(baseUrl + url, {
        accept: isJson ? "application/json" : "*/*",
        keep: file.startsWith(`${description.rules.root}/`) && isJson,
      });
      progress.advance();
      if (mapped.location !== undefined && answer.status === 404) {
        notRedirected++;
        return;
      }
      const findings = await findingsOf(mapped, answer, options);
      found[at] = findings.map((finding) => ({ url, ...finding }));
    });
  } finally {
    await server.close();
  }
  progress.end(`${chosen.length} URLs`);
  const differences = found.flat();
  return {
    asked: chosen.length,
    count: differences.length,
    differences: differences.slice(0, listed),
    /** Former addresses that the host knows nothing of, as some cannot. */
    notRedirected,
  };
}

/** The files of a map by their own paths. */
function ownPaths(map: readonly MappedUrl[]): MappedUrl[] {
  const files = new Map(map.map(({ status: _, location: __, ...one }) => [one.file, one]));
  return Array.from(files, ([file, one]) => ({ ...one, url: `/${urlPath(file)}` }));
}

async function findingsOf(
  mapped: MappedUrl,
  answer: ServerAnswer,
  options: ReplayOptions,
): Promise<Finding[]> {
  if (answer.failed !== undefined) return [{ kind: "unreachable", text: answer.failed }];
  if (answer.status !== 200) {
    return [{ kind: "status", text: `expected 200, got ${answer.status}` }];
  }
  const findings = typeFindings(mapped.type, answer);
  const { size, sha256 } = mapped;
  if (answer.sha256 === sha256) return findings;
  if (answer.bytes !== undefined) {
    const text = await jsonDifference(mapped.file, answer, options);
    if (text !== undefined) findings.push({ kind: "content", text });
  } else if (answer.size === size) {
    findings.push({ kind: "content", text: `sha256 ${sha256} expected, got ${answer.sha256}` });
  } else findings.push({ kind: "size", text: `expected ${size} bytes, got ${answer.size}` });
  return findings;
}

/** Where a JSON answer differs from its file in more than its links. */
async function jsonDifference(file: string, answer: ServerAnswer, options: ReplayOptions) {
  const { root, description, baseUrl } = options;
  let [right, live]: [unknown, unknown] = [undefined, undefined];
  try {
    right = JSON.parse(await readFile(join(root, file), "utf8"));
    live = JSON.parse(String(answer.bytes));
  } catch {
    return "the answer is not JSON, or the file is missing";
  }
  if (file === `${description.rules.root}/${descriptionFile}`) {
    [right, live] = [ofFiles(right), ofFiles(live)];
  }
  const homes = [new URL(baseUrl).origin, new URL(answer.url).origin];
  if (description.url !== null) homes.push(description.url);
  const cut = (text: string) => cutFileText(text, description.url);
  const { changes, count } = compareJson(right, live, cut, mirrorUrls(homes));
  const [first] = changes;
  if (first === undefined) return undefined;
  return `${first.path}: file ${first.origin}, answer ${first.mirror}${andMore(count - 1)}`;
}

/** A server that answers anything says so in the description, and where it is. */
function ofFiles(description: unknown): unknown {
  const { answers: _, url: __, ...rest } = (description ?? {}) as Partial<MirrorDescription>;
  return rest;
}

const aliases: Record<string, string> = {
  "application/javascript": "text/javascript",
  // What S3 and its like call a file that nobody has told them the type of.
  "binary/octet-stream": "application/octet-stream",
  "application/x-javascript": "text/javascript",
  "text/xml": "application/xml",
  "image/vnd.microsoft.icon": "image/x-icon",
  "audio/x-wav": "audio/wav",
  "audio/vnd.wave": "audio/wav",
};

function typeFindings(expected: string, { type, fullType }: ServerAnswer): Finding[] {
  const known = (name: string): string => aliases[name] ?? name;
  const charset = (text: string): string =>
    /;\s*charset="?([^\s;"]+)/i.exec(text)?.[1]?.toLowerCase() ?? "utf-8";
  const wanted = (expected.split(";")[0] ?? "").trim().toLowerCase();
  // A server may send no type for unknown content.
  if (type === "" && wanted === "application/octet-stream") return [];
  if (known(wanted) === known(type) && charset(fullType) === charset(expected)) return [];
  return [{ kind: "type", text: `expected ${expected}, got ${fullType || "none"}` }];
}

async function readUrlMap(path: string): Promise<MappedUrl[]> {
  try {
    return z.array(MappedUrl).parse(JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    const reason = isErrno(cause, "ENOENT") ? "no such file" : "cannot be read";
    const hint = 'run "stillpress hosts", which writes it anew';
    throw new StoreError(`${path}: ${reason}`, { cause, hint });
  }
}
