import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { StoreError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { descriptionFile, type MirrorDescription } from "../routes/description.ts";
import { compareJson } from "./answers.ts";
import { createServerClient, type ServerAnswer } from "./fetch.ts";
import { createRandom } from "./random.ts";
import { cutFileText, mirrorUrls } from "./references.ts";

/** One line of `urlmap.json`: what a URL of the archive answers with. */
const MappedUrl = z.object({
  url: z.string().startsWith("/"),
  file: z.string(),
  type: z.string(),
  size: z.int(),
  sha256: z.string(),
});
type MappedUrl = z.infer<typeof MappedUrl>;

export interface ReplayOptions {
  /** Path of `urlmap.json`. */
  urlMap: string;
  /** The publish root that it describes. */
  root: string;
  /** What the archive's mirror says of itself. */
  description: MirrorDescription;
  /** Address of the archive on the host: the publish root, not the API. */
  baseUrl: string;
  /** Number of URLs that are drawn; all of them where it is undefined. */
  sample?: number | undefined;
  seed?: number;
  /** Sent as a bearer token to the host. */
  token?: string | undefined;
  reporter?: Reporter;
  signal?: AbortSignal | undefined;
}

/** What is wrong with the answer to one URL. */
export interface ReplayDifference {
  url: string;
  kind: "unreachable" | "status" | "type" | "size" | "content";
  /** One line for people. */
  text: string;
}

export interface Replay {
  asked: number;
  /** All that is wrong, in the order of the map. */
  count: number;
  /** The first ones. */
  differences: ReplayDifference[];
}

const listed = 1000;
const connections = 8;

/**
 * Asks a host for the URLs of an archive and compares the answers with its files: status, content type, size, digest;
 * JSON of the mirror also counts as right where only its links were rewritten.
 *
 * @throws StoreError where the map is missing or damaged, or the host does not answer
 */
export async function replayUrls(options: ReplayOptions): Promise<Replay> {
  const { urlMap, root, description, sample, seed = 1, reporter = silent, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const lines = await readLines(urlMap);
  const chosen = sample === undefined ? lines : createRandom(seed).shuffled(lines).slice(0, sample);
  const server = createServerClient(baseUrl, { token: options.token, connections, signal });
  const progress = reporter.stage("verifying", chosen.length);
  const found: (ReplayDifference & { number: number })[] = [];
  let [asked, count] = [0, 0];

  async function check(number: number, mapped: MappedUrl): Promise<void> {
    // The content is only needed where it may differ in its links.
    const keep = isRewritable(mapped, description);
    const accept = mapped.type.startsWith("application/json") ? "application/json" : "*/*";
    const answer = await server.ask(baseUrl + mapped.url, { accept, keep });
    const findings: Omit<ReplayDifference, "url">[] = [];
    if ("failed" in answer) findings.push({ kind: "unreachable", text: answer.failed });
    else if (answer.status !== 200) {
      findings.push({ kind: "status", text: `expected 200, got ${answer.status}` });
    } else {
      findings.push(...typeDifferences(mapped.type, answer));
      findings.push(...(await contentDifferences(mapped, answer)));
    }
    for (const finding of findings) {
      count++;
      if (found.length < listed) found.push({ number, url: mapped.url, ...finding });
    }
    asked++;
    progress.advance();
  }

  async function contentDifferences(
    { file, size, sha256 }: MappedUrl,
    answer: ServerAnswer,
  ): Promise<Omit<ReplayDifference, "url">[]> {
    if (answer.sha256 === sha256) return [];
    if (answer.bytes === undefined) {
      return answer.size === size
        ? [{ kind: "content", text: `sha256 ${sha256} expected, got ${answer.sha256}` }]
        : [{ kind: "size", text: `expected ${size} bytes, got ${answer.size}` }];
    }
    let [right, live]: [unknown, unknown] = [undefined, undefined];
    try {
      right = JSON.parse(await readFile(join(root, file), "utf8"));
      live = JSON.parse(String(answer.bytes));
    } catch {
      return [{ kind: "content", text: "the answer is not JSON, or the file is missing" }];
    }
    if (file === `${description.rules.root}/${descriptionFile}`) {
      [right, live] = [ofFiles(right), ofFiles(live)];
    }
    const homes = [new URL(baseUrl).origin, new URL(answer.url).origin];
    if (description.url !== null) homes.push(description.url);
    const cut = (text: string) => cutFileText(text, description.url);
    const { changes, count: places } = compareJson(right, live, cut, mirrorUrls(homes));
    const [first] = changes;
    if (first === undefined) return [];
    const more = places === 1 ? "" : `, and ${places - 1} more`;
    const text = `${first.path}: file ${first.origin}, answer ${first.mirror}${more}`;
    return [{ kind: "content", text }];
  }

  try {
    const home = await server.ask(`${baseUrl}/`, { discard: true });
    if ("failed" in home) {
      throw new StoreError(`${baseUrl}: ${home.failed}`, { hint: "check --base-url" });
    }
    await eachLimited(chosen, connections, ({ line, number }) => {
      signal?.throwIfAborted();
      return check(number, parseLine(urlMap, line, number));
    });
  } finally {
    await server.close();
  }
  progress.end(`${asked} URLs`);
  const differences = found
    .sort((a, b) => a.number - b.number)
    .map(({ number: _, ...difference }) => difference);
  return { asked, count, differences };
}

/** A server that answers anything says so in the description, and where it is. */
function ofFiles(description: unknown): unknown {
  const { answers: _, url: __, ...rest } = (description ?? {}) as Partial<MirrorDescription>;
  return rest;
}

function isRewritable({ file, type }: MappedUrl, { rules }: MirrorDescription): boolean {
  return file.startsWith(`${rules.root}/`) && type.startsWith("application/json");
}

/** Names that mean the same type. */
const aliases: Record<string, string> = {
  "application/javascript": "text/javascript",
  "application/x-javascript": "text/javascript",
  "text/xml": "application/xml",
  "image/vnd.microsoft.icon": "image/x-icon",
};

function typeDifferences(
  expected: string,
  { type, fullType }: ServerAnswer,
): Omit<ReplayDifference, "url">[] {
  const known = (name: string): string => aliases[name] ?? name;
  const charset = (text: string): string | undefined =>
    /;\s*charset="?([^\s;"]+)/i.exec(text)?.[1]?.toLowerCase();
  const wanted = (expected.split(";")[0] ?? "").trim().toLowerCase();
  // A server may leave out the type of what has none.
  if (type === "" && wanted === "application/octet-stream") return [];
  const sameCharset = (charset(fullType) ?? "utf-8") === (charset(expected) ?? "utf-8");
  if (known(wanted) === known(type) && sameCharset) return [];
  return [{ kind: "type", text: `expected ${expected}, got ${fullType || "none"}` }];
}

/** The entries of the map, each with its number. */
async function readLines(path: string): Promise<{ line: string; number: number }[]> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === "ENOENT" ? "no such file" : "cannot be read";
    const hint = 'run "stillpress hosts", which writes it';
    throw new StoreError(`${path}: ${reason}`, { cause, hint });
  });
  const entries = text.split("\n").filter((line) => line.startsWith("{"));
  return entries.map((line, number) => ({ line, number }));
}

function parseLine(path: string, line: string, number: number): MappedUrl {
  try {
    return MappedUrl.parse(JSON.parse(line.replace(/,\s*$/, "")));
  } catch (cause) {
    throw new StoreError(`${path}: line ${number + 2} is damaged`, {
      cause,
      hint: 'run "stillpress hosts", which writes it anew',
    });
  }
}
