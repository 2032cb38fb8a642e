import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, StoreError } from "../../src/errors.ts";
import { fileSha256 } from "../../src/lib/digest.ts";
import { sealed } from "../../src/lib/sealed.ts";
import { historyPath } from "../../src/publish/kept.ts";
import { type BuildRecord, publishedSettings, readRecord } from "../../src/publish/record.ts";
import { listBuilds, rollBack } from "../../src/publish/rollback.ts";
import { outputPaths, shows } from "../../src/publish/swap.ts";
import { publishedDamage, removeDamagedBuilds } from "../../src/verify/builds.ts";
import { ids, image } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

let archive: Publishing;
beforeEach(() => {
  archive = startPublishing();
});
afterEach(() => archive.close());

/** Publishes an archive of its own for each title; returns the builds' names in order. */
async function publish(...titles: string[]): Promise<string[]> {
  const names: string[] = [];
  for (const [n, title] of titles.entries()) {
    archive.edit(title);
    const now = () => new Date(Date.UTC(2030, 0, n + 1));
    expect((await archive.build({ keepBuilds: 5 }, { now })).published).toBe(true);
    names.push(archive.shown());
  }
  return names;
}

/** Makes the record of a build one of a version that named its settings otherwise. */
function makeForeign(build: string): void {
  const { settings, ...rest } = readRecord(build) as BuildRecord;
  writeFileSync(join(build, "build.json"), sealed({ ...rest, options: settings }));
}

/** Of the first article, as the mirror answers. */
const title = (): string =>
  JSON.parse(archive.read(`api/v1/articles/${ids.articles[0]}.json`)).data.title;

const states = (): string[] => listBuilds(archive.out).map(({ name, state }) => `${name} ${state}`);

describe("going back", () => {
  it("publishes the build before the present one, and again the one before that", async () => {
    const [a = "", b = "", c = ""] = await publish("A", "B", "C");
    expect(await rollBack(archive.out, {})).toEqual({ from: c, to: b });
    expect(title()).toBe("B");
    expect(
      shows(archive.out, outputPaths(archive.out).deploy, join(archive.out, "builds", b)),
    ).toBe(true);
    expect(await rollBack(archive.out, {})).toEqual({ from: b, to: a });
    await expect(rollBack(archive.out, {})).rejects.toThrow(ConfigError);
    expect(states()).toEqual([`${c} kept`, `${b} kept`, `${a} published`]);
    expect(await rollBack(archive.out, { name: c })).toEqual({ from: a, to: c });
  });

  it("is followed by a build that publishes the new content again", async () => {
    const [a = "", b = "", c = ""] = await publish("A", "B", "C");
    await rollBack(archive.out, {});
    const again = await archive.build({ keepBuilds: 5 });
    expect(again.published).toBe(true);
    expect(title()).toBe("C");
    // What was gone back from is not gone back to, unless by its name.
    expect(await rollBack(archive.out, {})).toMatchObject({ to: b });
    expect(await rollBack(archive.out, {})).toMatchObject({ to: a });
    expect(states().filter((line) => line.startsWith(`${c} `))).toEqual([`${c} withdrawn`]);
    expect((await archive.build({ keepBuilds: 5 })).published).toBe(true);
    await rollBack(archive.out, { name: c });
    expect(archive.shown()).toBe(c);
  });

  it("names time, snapshot and files of every build, the latest first", async () => {
    const [a, b] = await publish("A", "B");
    expect(listBuilds(archive.out)).toEqual([
      {
        name: b,
        state: "published",
        time: "2030-01-02T00:00:00.000Z",
        snapshot: expect.stringMatching(/^2024-05-02T01-00-00Z-\d$/),
        files: expect.any(Number),
      },
      expect.objectContaining({ name: a, state: "kept", time: "2030-01-01T00:00:00.000Z" }),
    ]);
  });

  it.each<[string, (build: string) => void, object]>([
    ["is missing a file", (build) => rmSync(join(build, "public/index.html")), {}],
    ["has a file cut short", (build) => truncateSync(join(build, "public/index.html"), 9), {}],
    ["has a file too many", (build) => writeFileSync(join(build, "public/x.html"), ""), {}],
    ["has no manifest", (build) => rmSync(join(build, "manifest.ndjson")), {}],
    ["has no record", (build) => rmSync(join(build, "build.json")), {}],
    ["lacks a host's file", (build) => rmSync(join(build, "deploy/urlmap.json")), {}],
    [
      "has other bytes, where they are read",
      (build) => {
        const page = join(build, "public/404.html");
        const text = archive.read("404.html");
        rmSync(page);
        writeFileSync(page, `${text.slice(0, -2)}X\n`);
      },
      { digestOf: fileSha256 },
    ],
  ])("is refused where the build %s", async (_, damage, options) => {
    const [a = "", b = ""] = await publish("A", "B");
    damage(join(archive.out, "builds", a));
    await expect(rollBack(archive.out, options)).rejects.toThrow(StoreError);
    expect(archive.shown()).toBe(b);
  });

  it("leads also to a whole build of a version with other settings, which a repair leaves alone", async () => {
    const [a = "", b = ""] = await publish("A", "B");
    makeForeign(join(archive.out, "builds", a));
    expect(await removeDamagedBuilds(archive.out)).toEqual([]);
    expect(await rollBack(archive.out, { digestOf: fileSha256 })).toEqual({ from: b, to: a });
    expect(title()).toBe("A");
    expect(await publishedDamage(archive.out)).toBeUndefined();
    expect(() => publishedSettings(archive.out)).toThrow(
      /build\.json was written by another version/,
    );
    await archive.build({ keepBuilds: 5 });
    expect(title()).toBe("B");
  });

  it("is refused where such a build is damaged, and a repair removes it", async () => {
    const [a = "", b = ""] = await publish("A", "B");
    const build = join(archive.out, "builds", a);
    makeForeign(build);
    rmSync(join(build, "public/404.html"));
    await expect(rollBack(archive.out, {})).rejects.toThrow(/404\.html is missing/);
    expect(await removeDamagedBuilds(archive.out)).toMatchObject([
      { reason: expect.stringMatching(/^removed/) },
    ]);
    expect(archive.shown()).toBe(b);
  });

  it("is refused to a build that is not there", async () => {
    await publish("A");
    await expect(rollBack(archive.out, { name: "../store" })).rejects.toThrow(ConfigError);
  });
});

describe("the builds that are kept", () => {
  it.each([0, 1, 2])("are %i beside the published one, as configured", async (keepBuilds) => {
    const names = await publish("A", "B", "C", "D");
    archive.edit("E");
    await archive.build({ keepBuilds });
    expect(listBuilds(archive.out).map(({ name }) => name)).toEqual([
      archive.shown(),
      ...names.reverse().slice(0, keepBuilds),
    ]);
  });

  it("go without what a killed run left, and do not mind a damaged history", async () => {
    await publish("A");
    const builds = join(archive.out, "builds");
    mkdirSync(join(builds, "staging-1", "public"), { recursive: true });
    writeFileSync(historyPath(archive.out), "{");
    const [b = ""] = await publish("B");
    expect(readdirSync(builds).filter((name) => name.startsWith("staging-"))).toEqual([]);
    expect(states()[0]).toBe(`${b} published`);
    expect(states()).toHaveLength(2);
  });
});

describe("a build", () => {
  it("is not published where its files did not arrive on the disk", async () => {
    const [a] = await publish("A");
    // A file of the last build that lost its end is shared into the next one.
    truncateSync(join(archive.out, "public", "404.html"), 10);
    archive.edit("B");
    await expect(archive.build()).rejects.toThrow(/404\.html has 10 bytes/);
    expect(archive.shown()).toBe(a);
    expect(listBuilds(archive.out)).toHaveLength(1);
    expect(readdirSync(join(archive.out, "builds")).sort()).toEqual([a]);
  });
});

describe("going back to what showed an image that may not be shown any more", () => {
  it("is refused, and changes nothing", async () => {
    const [hidden = "", ...others] = ids.images;
    const { fixture, out } = archive;
    const [a = ""] = await publish("A");
    expect(await rollBack(out, { name: a })).toMatchObject({ to: a });
    fixture.write("images", others.map(image));
    fixture.write("images.private", [ids.privateImage, hidden].map(image));
    const [b = ""] = await publish("B");
    expect(archive.holding(hidden)).toEqual([]);
    await expect(rollBack(out, {})).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("may not be shown any more"),
    });
    expect(archive.shown()).toBe(b);
  });

  it.each([
    ["in the public index", "images", ids.images[0]],
    ["in no index", "images.unlisted", ids.unprovedImage],
  ] as const)("is refused where its record says so %s", async (_, list, hidden = "") => {
    const { fixture, out } = archive;
    const config = { keepBuilds: 5, media: { unproved: "publish" } };
    archive.edit("A");
    await archive.build(config);
    const a = archive.shown();
    expect(archive.holding(hidden)).not.toEqual([]);
    const all = list === "images" ? ids.images : [ids.unprovedImage];
    const records = all.map((id) => ({ ...image(id), ...(id === hidden && { is_public: false }) }));
    fixture.write(list, records);
    archive.edit("B");
    await archive.build(config);
    const b = archive.shown();
    expect(archive.holding(hidden)).toEqual([]);
    await expect(rollBack(out, { name: a })).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("may not be shown any more"),
    });
    expect(archive.shown()).toBe(b);
  });
});
