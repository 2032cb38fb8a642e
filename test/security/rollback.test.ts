/* The operator's own bad night: power that fails, or a kill, just as a rollback or new host configurations are published. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runHosts } from "../../src/cli/hosts.ts";
import type { CommonOptions } from "../../src/cli/options.ts";
import { nodeDisk } from "../../src/lib/disk.ts";
import { checkBuild } from "../../src/publish/check.ts";
import { publishedArchive, writeDeployment } from "../../src/publish/deploy.ts";
import { rollBack } from "../../src/publish/rollback.ts";
import { outputPaths } from "../../src/publish/swap.ts";
import { takeLock } from "../../src/store/lock.ts";
import { ids } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";

/** An archive with two builds, A and then B; gives A's name. */
async function twoBuilds(): Promise<{ archive: Publishing; a: string }> {
  const archive = startPublishing();
  onTestFinished(() => archive.close());
  const names: string[] = [];
  for (const [n, title] of ["A", "B"].entries()) {
    archive.edit(title);
    await archive.build({ keepBuilds: 5 }, { now: () => new Date(Date.UTC(2030, 0, n + 1)) });
    names.push(archive.shown());
  }
  return { archive, a: names[0] as string };
}

/** Puts a program in the place of `sync` that writes down what it was given, and what readers saw meanwhile. */
function watchSync(
  out: string,
): () => { synced: string; times: string; shown: string; a: string }[] {
  const folder = join(out, "..", `${basename(out)}-bin`);
  const log = join(folder, "log");
  mkdirSync(folder);
  const index = `public/api/v1/articles/${ids.articles[0]}.json`;
  const script = `#!/bin/sh
  stat -c %Y "$3/${index}" >> ${log} 2>/dev/null || echo none >> ${log}
  echo "$3" >> ${log}; readlink ${out}/public >> ${log}
  for b in ${out}/builds/*/; do echo "$b $(stat -c %Y $b/${index})"; done | tr '\\n' ';' >> ${log}; echo >> ${log}
  `;
  writeFileSync(join(folder, "sync"), script);
  chmodSync(join(folder, "sync"), 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}:${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
    nodeDisk.remove(folder);
  });
  return () => {
    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    return Array.from({ length: Math.floor(lines.length / 4) }, (_, n) => {
      const [times = "", synced = "", shown = "", a = ""] = lines.slice(n * 4);
      return { times, synced, shown, a };
    });
  };
}

describe("a rollback", () => {
  it("makes files with other times durable before readers see them, and leaves the finished build as it is", async () => {
    const { archive, a } = await twoBuilds();
    const before = archive.shown();
    const finished = join(
      archive.out,
      "builds",
      a,
      `public/api/v1/articles/${ids.articles[0]}.json`,
    );
    const time = statSync(finished).mtimeMs / 1000;
    const synced = watchSync(archive.out);
    const now = () => new Date(Date.UTC(2030, 0, 9));
    expect(await rollBack(archive.out, { now })).toEqual({ from: before, to: a });
    const later = Date.UTC(2030, 0, 9) / 1000;
    expect(statSync(finished).mtimeMs / 1000).toBe(later);
    const [first, ...more] = synced();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ times: `${later}`, shown: `builds/${before}/public` });
    expect(first?.a).toContain(`/builds/${a}/ ${time};`);
  });

  it.each([1, 2])(
    "that is killed at rename %i of the builds loses neither of them",
    async (kill) => {
      const { archive, a } = await twoBuilds();
      const before = archive.shown();
      // What such a kill leaves: the second build under a name of its own, and the first one moved away, or not.
      const { builds } = outputPaths(archive.out);
      nodeDisk.rename(join(builds, a), join(builds, kill === 1 ? `${a}-2` : "staging-1"));
      expect(archive.shown()).toBe(before);
      archive.edit("C");
      expect((await archive.build({ keepBuilds: 5 })).published).toBe(true);
      expect(readdirSync(builds).filter((name) => name.startsWith("staging-"))).toEqual([]);
      for await (const finding of checkBuild(join(builds, archive.shown()))) {
        expect.unreachable(JSON.stringify(finding));
      }
    },
  );
});

describe("new host configurations", () => {
  it("are not written while another run has the lock", async () => {
    const { archive } = await twoBuilds();
    const { out } = archive;
    const before = readFileSync(join(out, "deploy/urlmap.json"));
    const lock = takeLock(outputPaths(out).lock);
    const options = { config: "config/stillpress.json", out, json: true, quiet: true };
    await expect(runHosts(["apache"], options as CommonOptions)).rejects.toMatchObject({
      exitCode: 6,
    });
    lock();
    expect(readdirSync(join(out, "deploy"))).not.toContain("apache");
    expect(readFileSync(join(out, "deploy/urlmap.json")).equals(before)).toBe(true);
  });

  it("never leave readers of out/deploy without files, at whatever rename a kill comes", async () => {
    const { archive } = await twoBuilds();
    const { out } = archive;
    const { build, description } = publishedArchive(out);
    for (let last = 1; ; last++) {
      let renames = 0;
      const killed = (from: string, to: string): void => {
        if (renames++ === last) throw new Error("killed");
        nodeDisk.rename(from, to);
      };
      const disk = { ...nodeDisk, rename: killed };
      const written = await writeDeployment(build, description, ["nginx", "apache"], disk).then(
        () => true,
        () => false,
      );
      expect(readdirSync(realpathSync(join(out, "deploy")))).toContain("urlmap.json");
      expect(readFileSync(join(out, "deploy/urlmap.json"), "utf8")).toMatch(/\]\n$/);
      if (written) break;
    }
    for await (const finding of checkBuild(build)) expect.unreachable(JSON.stringify(finding));
  });
});
