import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../src/publish/check.ts";
import { verifyArchive } from "../../src/verify/verify.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";
import { fileIn, flipBit, publishedTree, shownBuild } from "./support.ts";

let press: Press;
let tree: Record<string, string>;

/** Runs a command; a snapshot that has to be made anew then shows the same time. */
async function run(name: string, args: string[] = [], token = press.origin.tokens.organisation) {
  const env = { SOURCE_DATE_EPOCH: "1800000000", ...(token && { STILLPRESS_TOKEN: token }) };
  const result = await stillpress([name, "--config", press.configFile, "--json", ...args], { env });
  return { ...result, report: JSON.parse(result.stdout) as Report };
}

interface Report {
  exitCode: number;
  findings: Finding[];
  mended: Finding[];
}

const store = (...path: string[]): string => join(press.out, "store", ...path);

function latestId(): string {
  const { snapshot } = JSON.parse(readFileSync(store("snapshots", "latest.json"), "utf8"));
  return snapshot;
}

/** A place in the line of an object that the latest snapshot names. */
function inObject(collection: string): [path: string, at: number] {
  const path = store("objects", "000001.ndjson");
  const at = readFileSync(path).lastIndexOf(`"collection":"${collection}"`);
  if (at === -1) throw new Error(`no object of ${collection}`);
  return [path, at + 40];
}

beforeAll(async () => {
  press = await startPress({ size: { articles: 8, galleries: 2, images: 6 } });
  expect((await run("snapshot")).code).toBe(0);
  const [first] = press.origin.content.articles;
  press.origin.content.articles.edit(first?.id as string, { title: "Another title" });
  expect((await run("snapshot")).code).toBe(0);
  tree = { ...publishedTree(press.out), "snapshot.html": "" };
});
afterAll(() => press.close());

/** Names of the builds in a state, as `rollback` lists them. */
async function builds(state: string): Promise<string[]> {
  const listed = JSON.parse((await run("rollback", ["--list"])).stdout) as {
    builds: { name: string; state: string }[];
  };
  return listed.builds.filter((build) => build.state === state).map(({ name }) => name);
}

const findings = async (): Promise<Finding[]> =>
  (await verifyArchive({ out: press.out, full: true })).findings;

/** The archive is what it was before the damage, but for the page about the crawl that it comes from. */
async function expectWhole(): Promise<void> {
  expect(await findings()).toEqual([]);
  expect({ ...publishedTree(press.out), "snapshot.html": "" }).toEqual(tree);
}

describe("after a flipped bit", () => {
  const damages: [what: string, flip: () => void][] = [
    ["an article's index form", () => flipBit(...inObject("articles"))],
    ["an article's single form", () => flipBit(...inObject("articles.single"))],
    ["an attachment list", () => flipBit(...inObject("attachments"))],
    ["an image's object", () => flipBit(...inObject("images"))],
    ["a category", () => flipBit(...inObject("categories"))],
    ["the media index", () => flipBit(store("media", "000001.ndjson"))],
    ["a list of the snapshot", () => flipBit(store("snapshots", "parts", "000001.ndjson"))],
    ["the head of the snapshots", () => flipBit(store("snapshots", "latest.json"))],
    ["the latest snapshot's manifest", () => flipBit(store("snapshots", `${latestId()}.json`))],
    [
      "a published page",
      () => flipBit(join(press.out, "public", fileIn(join(press.out, "public"), isArticle))),
    ],
    ["the manifest of the build", () => flipBit(join(shownBuild(press.out), "manifest.ndjson"))],
    ["the record of the build", () => flipBit(join(shownBuild(press.out), "build.json"))],
    ["urlmap.json", () => flipBit(join(press.out, "deploy", "urlmap.json"))],
    ["the order of publication", () => flipBit(store("published", "history.json"))],
  ];
  it.each(damages)("in %s, the archive is mended and what it was", async (_, flip) => {
    flip();
    expect(await findings()).not.toEqual([]);
    const repaired = await run("repair");
    expect(repaired.report, repaired.stderr).toMatchObject({ exitCode: 0, findings: [] });
    expect(repaired.report.mended.length).toBeGreaterThan(0);
    await expectWhole();
  });
});

const isArticle = (path: string): boolean => /^articles\/[^/]+\.html$/.test(path);

describe("a damaged blob", () => {
  it.each([
    ["an original", /^images\/.*|.*by\/download\/.*/],
    ["a rendition", /by\/width\/320\/.*\.jpg$/],
  ])("that is %s is had again for the published build", async (_, path) => {
    const root = join(press.out, "public");
    const file = fileIn(
      root,
      (one) => one.startsWith("api/") && path.test(one) && !/json$/.test(one),
    );
    const digest = tree[file] as string;
    const blob = store("blobs", digest.slice(0, 2), digest);
    expect(statSync(blob).ino).toBe(statSync(join(root, file)).ino);
    flipBit(blob);
    const { report, stderr } = await run("repair");
    expect(report, stderr).toMatchObject({ exitCode: 0, findings: [] });
    expect(readdirSync(store("damaged"))).toContain(digest);
    await expectWhole();
  });
});

describe("a damaged build", () => {
  beforeEach(() => rmSync(store("damaged"), { recursive: true, force: true }));

  it("needs neither token nor origin to be mended", async () => {
    const root = join(press.out, "public");
    const page = fileIn(root, isArticle);
    rmSync(join(root, page));
    writeFileSync(join(root, "orphan.html"), "not of the archive");
    const requests = press.origin.requests.length;
    const before = await builds("kept");
    const { report } = await run("repair", [], "");
    expect(report).toMatchObject({ exitCode: 0, findings: [] });
    expect(press.origin.requests.length).toBe(requests);
    expect(existsSync(join(root, "orphan.html"))).toBe(false);
    // The mended build takes the place of the damaged one: going back still leads to another content.
    expect(await builds("kept")).toEqual(before);
    await expectWhole();
  });

  it("is published anew where the link to it is gone", async () => {
    rmSync(join(press.out, "public"));
    rmSync(join(press.out, "deploy"));
    expect((await run("verify")).report.findings).toContainEqual({
      path: "public",
      reason: "leads to no build",
    });
    expect((await run("repair", [], "")).report.exitCode).toBe(0);
    await expectWhole();
  });
});

it("leaves a whole archive alone", async () => {
  const shown = shownBuild(press.out);
  const { report } = await run("repair", [], "");
  expect(report).toMatchObject({ exitCode: 0, findings: [], mended: [] });
  expect(shownBuild(press.out)).toBe(shown);
});

it("says what is lost because the origin has it no more", async () => {
  const [path, at] = inObject("articles.single");
  const line = readFileSync(path, "latin1").slice(at - 60, at + 200);
  const id = /"id":"([^"]+)"/.exec(line)?.[1] as string;
  flipBit(path, at);
  press.origin.content.articles.remove(id);
  const { report, code } = await run("repair");
  expect(code).toBe(5);
  expect(report.findings).toEqual([
    {
      path: expect.stringMatching(/^store\/snapshots\/.*\.json$/),
      reason: `articles.single: ${id} was lost, and the origin no longer has it`,
    },
  ]);
  expect((await run("verify", ["--full"])).report.exitCode).toBe(0);
});
