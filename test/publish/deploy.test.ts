import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostName } from "../../src/config/host-names.ts";
import { GuardError } from "../../src/errors.ts";
import { fileSha256, sha256 } from "../../src/lib/digest.ts";
import { nodeDisk } from "../../src/lib/disk.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { type BuildResult, buildArchive } from "../../src/publish/build.ts";
import { keptBuilds } from "../../src/publish/builds.ts";
import { checkBuild, type Finding } from "../../src/publish/check.ts";
import { publishedArchive, redirectsIn, writeDeployment } from "../../src/publish/deploy.ts";
import { publishedBuild } from "../../src/publish/swap.ts";
import type { MappedUrl } from "../../src/routes/url-map.ts";
import type { SnapshotManifest } from "../../src/store/snapshots.ts";
import { type Fixture, ids, makeConfig, makeFixture } from "../mirror/fixture.ts";
import { putBlob } from "../support/blob.ts";

let fixture: Fixture;
let out: string;

beforeEach(() => {
  fixture = makeFixture();
  out = mkdtempSync(join(tmpdir(), "stillpress-deploy-"));
  symlinkSync(fixture.store.folder, join(out, "store"));
});
afterEach(() => {
  fixture.close();
  rmSync(out, { recursive: true, force: true });
});

function build(hosts: string[]): Promise<BuildResult> {
  const config = makeConfig({ hosts });
  const { store } = fixture;
  const templates = join(out, "templates");
  return buildArchive({ config, store, out, templates, allowIncomplete: true });
}

const deployed = (path: string): string => join(out, "deploy", path);

describe("the folder deploy", () => {
  it("is written with each build, for the configured hosts, and shown beside it", async () => {
    const { limits } = await build(["nginx", "netlify"]);
    expect(readdirSync(deployed("")).sort()).toEqual(["netlify", "nginx", "urlmap.json"]);
    expect(readlinkSync(join(out, "deploy"))).toBe(
      readlinkSync(join(out, "public")).replace(/public$/, "deploy"),
    );
    expect(new Set(limits.map(({ host }) => host))).toEqual(new Set(["nginx", "netlify"]));
  });

  it("stays as it is until something changes, and follows a change of the hosts alone", async () => {
    const first = await build(["nginx"]);
    const { mtimeMs, ino } = statSync(deployed("urlmap.json"));
    const second = await build(["nginx"]);
    expect(second.published).toBe(false);
    expect(second.limits).toEqual(first.limits);
    expect(statSync(deployed("urlmap.json"))).toMatchObject({ mtimeMs, ino });
    const third = await build(["caddy"]);
    expect([third.published, existsSync(deployed("caddy"))]).toEqual([false, true]);
    rmSync(join(out, "deploy"));
    await build(["caddy"]);
    expect(existsSync(deployed("caddy/stillpress.caddy"))).toBe(true);
  });

  it("changes as a whole, with a build of the same content that takes the place of the last one", async () => {
    await build(["nginx"]);
    const before = realpathSync(deployed(""));
    const shown = readlinkSync(join(out, "public"));
    expect((await build(["caddy"])).published).toBe(false);
    expect(readlinkSync(join(out, "public"))).not.toBe(shown);
    expect([readdirSync(before).sort(), readdirSync(deployed("")).sort()]).toEqual([
      ["nginx", "urlmap.json"],
      ["caddy", "urlmap.json"],
    ]);
    expect(await findings()).toEqual([]);
    expect(keptBuilds(out).map(({ state }) => state)).toEqual(["withdrawn", "published"]);
  });

  it("is no reason to publish half of a build where it is no link", async () => {
    await build(["nginx"]);
    const shown = readlinkSync(join(out, "public"));
    rmSync(join(out, "deploy"));
    mkdirSync(deployed("own"), { recursive: true });
    const { store } = fixture;
    const config = makeConfig({ site: { title: "Another title" } });
    const input = { config, store, out, templates: join(out, "templates"), allowIncomplete: true };
    await expect(buildArchive(input)).rejects.toThrow(/deploy is not a link to a build/);
    expect(keptBuilds(out)).toHaveLength(1);
    expect(readlinkSync(join(out, "public"))).toBe(shown);
    rmSync(deployed(""), { recursive: true });
    expect((await buildArchive(input)).published).toBe(true);
  });

  it("says what hosts of files alone answer otherwise behind the last page", async () => {
    const { format, id, ...manifest } = fixture.store.snapshots.latest() as SnapshotManifest;
    const behind = { articles: { status: 200 }, galleries: { status: 404 } };
    fixture.store.snapshots.commit({ ...manifest, learned: { behind } });
    const { limits } = await build(["nginx", "cloudflare"]);
    const about = limits.filter(({ text }) => text.includes("past the last one"));
    expect(about).toEqual([
      {
        host: "nginx",
        text: expect.stringMatching(/404.* an empty page .articles.$/),
        exceeded: false,
      },
    ]);
  });

  it("maps every file of the archive to the URL that it answers", async () => {
    await build([]);
    const mapped = JSON.parse(readFileSync(deployed("urlmap.json"), "utf8")) as MappedUrl[];
    const own = mapped.filter(({ location }) => location === undefined);
    const byFile = new Map(own.map((one) => [one.file, one]));
    expect(byFile.size).toBe(own.length);
    expect(mapped.length - own.length).toBe(redirectsIn(publishedBuild(out) as string).size);
    for (const { file, size, sha256: digest } of mapped) {
      const bytes = readFileSync(join(out, "public", file));
      expect([file, bytes.length, sha256(bytes)]).toEqual([file, size, digest]);
    }
    const [article = ""] = ids.articles;
    const [image = ""] = ids.images;
    expect(byFile.get("api/v1/articles/page/2.json")).toMatchObject({
      url: "/api/v1/articles?page=2",
      type: "application/json",
    });
    expect(byFile.get(`api/v1/articles/${article}/images/index.json`)?.url).toBe(
      `/api/v1/articles/${article}/images`,
    );
    expect(byFile.get(`api/v1/images/by/thumb/square/${image}.jpg`)).toMatchObject({
      url: `/api/v1/images/${image}.jpg?thumb=1`,
      type: "image/jpeg",
    });
    expect(byFile.get(`api/v1/images/by/download/${image}.png`)?.url).toBe(
      `/api/v1/images/${image}/download`,
    );
    expect(byFile.get("index.html")).toMatchObject({
      url: "/index.html",
      type: "text/html; charset=utf-8",
    });
  });
});

/** What lies in `deploy`, with contents. */
function deployment(): [string, string][] {
  return [...walkSorted(deployed(""))].map((path) => [path, readFileSync(deployed(path), "utf8")]);
}

/** What is wrong with the published build. */
async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  const published = publishedBuild(out) as string;
  for await (const finding of checkBuild(published, { digestOf: fileSha256 })) found.push(finding);
  return found;
}

it("is not believed to be there where a change of the hosts came to no end", async () => {
  await build(["nginx"]);
  const before = deployment();
  const manifest = join(publishedBuild(out) as string, "deploy.ndjson");
  rmSync(manifest);
  mkdirSync(manifest);
  await expect(build(["caddy"])).rejects.toThrow();
  rmSync(manifest, { recursive: true });
  await build(["nginx"]);
  expect(deployment()).toEqual(before);
  expect(await findings()).toEqual([]);
});

/** Lets the media index grow by what no page shows. */
function noteInMedia(): void {
  const { media } = fixture.store;
  media.putAbsence("images", "nobody", { record: "r", reason: "x", asked: true });
  media.putAbsence("images", "nobody", undefined);
}

it("is made anew where its manifest is damaged", async () => {
  await build(["nginx"]);
  writeFileSync(join(publishedBuild(out) as string, "deploy.ndjson"), "x\n");
  noteInMedia();
  expect((await build(["nginx"])).published).toBe(false);
  expect(await findings()).toEqual([]);
});

describe("the command hosts", () => {
  const write = (hosts: HostName[]): Promise<unknown> => {
    const { description } = publishedArchive(out);
    return writeDeployment(publishedBuild(out) as string, description, hosts, nodeDisk);
  };

  it("leaves the configurations of other hosts, and all as they were where it fails", async () => {
    await build(["nginx", "netlify"]);
    const before = deployment();
    await write(["nginx"]);
    expect(deployment()).toEqual(before);
    await write(["caddy"]);
    expect(readdirSync(deployed("")).sort()).toEqual(["caddy", "netlify", "nginx", "urlmap.json"]);
    expect(await findings()).toEqual([]);
    // No file can be written where this lies.
    rmSync(deployed("urlmap.json"));
    mkdirSync(deployed("urlmap.json/x"), { recursive: true });
    writeFileSync(deployed("urlmap.json/x/y"), "");
    const damaged = deployment();
    await expect(write(["nginx"])).rejects.toThrow();
    expect(deployment()).toEqual(damaged);
  });

  it("keeps what it wrote where a night changes nothing that is published", async () => {
    await build(["nginx"]);
    await write(["netlify"]);
    noteInMedia();
    expect((await build(["nginx"])).published).toBe(false);
    expect(existsSync(deployed("netlify"))).toBe(true);
  });

  it.each([
    [["nginx", "netlify", "caddy"], ["caddy"]],
    [["nginx", "netlify"], []],
    [
      ["cloudflare", "apache"],
      ["apache", "caddy"],
    ],
    [["cloudfront"], ["vercel"]],
  ])("loses what the setting no longer names: %j, then %j", async (before, after) => {
    await build(before);
    expect((await build(after)).published).toBe(false);
    expect(readdirSync(deployed(".")).sort()).toEqual([...after, "urlmap.json"].sort());
    expect(await findings()).toEqual([]);
  });

  it("takes what it did not write for no better than it is", async () => {
    await build(["nginx", "netlify"]);
    rmSync(deployed("netlify/netlify.toml"));
    appendFileSync(deployed("netlify/package.json"), "x");
    const before = await findings();
    expect(before.map(({ path }) => path).sort()).toEqual([
      "deploy/netlify/netlify.toml",
      "deploy/netlify/package.json",
    ]);
    await write(["nginx"]);
    expect(await findings()).toEqual(before);
    await write(["netlify"]);
    expect(await findings()).toEqual([]);
  });
});

describe("an archive that is more than a host takes", () => {
  function addLargeVideo(): void {
    const bytes = Buffer.alloc(26 * 2 ** 20);
    fixture.store.media.put({
      kind: "videos",
      id: ids.video,
      record: "",
      recipe: "",
      original: {
        blob: putBlob(fixture.store, bytes),
        bytes: bytes.length,
        type: "video/mp4",
        extension: "mp4",
      },
      renditions: [],
    });
  }

  it("keeps the configurations that it has where another host is asked for", async () => {
    addLargeVideo();
    await build(["nginx"]);
    const before = deployment();
    await expect(build(["nginx", "cloudflare"])).rejects.toThrow(GuardError);
    expect(deployment()).toEqual(before);
    expect(await findings()).toEqual([]);
    await build(["nginx"]);
    expect(deployment()).toEqual(before);
  });

  it("is not published, and the last one stays", async () => {
    await build(["cloudflare"]);
    const before = readlinkSync(join(out, "public"));
    addLargeVideo();
    await expect(build(["cloudflare"])).rejects.toThrow(GuardError);
    await expect(build(["cloudflare"])).rejects.toThrow(/exceeds a limit of a host: cloudflare: /);
    expect(readlinkSync(join(out, "public"))).toBe(before);
    expect(readdirSync(join(out, "builds"))).toHaveLength(1);
    expect((await build(["nginx"])).published).toBe(true);
  });
});
