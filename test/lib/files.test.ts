import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  isErrno,
  linkOrCopy,
  makeFolder,
  readText,
  settleFolder,
  syncFolder,
  syncTree,
  walkSorted,
  writeDurably,
  writeFully,
} from "../../src/lib/files.ts";
import { dice } from "../../src/lib/random.ts";
import { newFolder } from "../faults/disk/nodes.ts";
import { survivorsOf } from "../faults/disk/power.ts";
import { simulateDisk } from "../faults/disk/simulated.ts";
import type { Trouble } from "../faults/disk/trouble.ts";
import { temporaryFolder } from "../store/support.ts";

describe("writeDurably", () => {
  it("makes the folders above, replaces what is there, and leaves nothing beside it", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a", "b", "file.json");
    writeDurably(path, "old and longer");
    writeDurably(path, Buffer.from("new"));
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(join(folder, "a", "b"))).toEqual(["file.json"]);
  });

  it("leaves no temporary file behind when it fails", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "taken", "inside"), { recursive: true });
    expect(() => writeDurably(join(folder, "taken"), "text")).toThrow();
    expect(readdirSync(folder)).toEqual(["taken"]);
  });
});

describe("what survives a power cut", () => {
  /** The disk as it is found afterwards. */
  const afterCut = (disk: ReturnType<typeof simulateDisk>) =>
    simulateDisk(survivorsOf(disk.root, "strict", dice(1)));

  it("is a file that was written durably, with the folders above it", () => {
    const disk = simulateDisk(newFolder());
    writeDurably("/a/b/file", "text", disk);
    expect(readText("/a/b/file", afterCut(disk))).toBe("text");
  });

  it("is a folder that was settled, also where a killed process had made it", () => {
    const disk = simulateDisk(newFolder());
    disk.makeFolder("/a/b");
    disk.close(disk.open("/a/b/file", "w"));
    makeFolder("/a/b", disk);
    expect(afterCut(disk).stat("/a")).toBeUndefined();
    settleFolder("/a", disk);
    settleFolder("/a/b", disk);
    expect(afterCut(disk).list("/a/b")).toEqual(["file"]);
  });

  it("is not promised where a folder cannot be synced", () => {
    const trouble: Trouble = { code: "EMFILE" };
    const disk = simulateDisk(newFolder(), trouble);
    for (const [code, later] of [
      ["EMFILE", 1],
      ["EIO", 2],
    ] as const) {
      Object.assign(trouble, { code, failAt: disk.calls.length + later });
      expect(() => syncFolder("/", disk)).toThrow(code);
    }
    // As Windows answers.
    Object.assign(trouble, { code: "EPERM", failAt: disk.calls.length + 1 });
    expect(() => syncFolder("/", disk)).not.toThrow();
    expect(() => syncFolder("/none", disk)).toThrow("ENOENT");
  });
});

describe("syncTree", () => {
  it("syncs the file system at once, or each file where the tool for that is missing", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a", "b"), { recursive: true });
    writeFileSync(join(folder, "a", "b", "file"), "text");
    await syncTree(folder);
    const path = process.env.PATH;
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("PATH", "/nowhere");
    await syncTree(folder);
    await expect(syncTree(join(folder, "none"))).rejects.toThrow("ENOENT");
    // A pipe has nothing to sync, and says so to whoever asks it.
    execFileSync("mkfifo", [join(folder, "a", "pipe")], { env: { PATH: path } });
    await expect(syncTree(folder)).rejects.toThrow("EINVAL");
    vi.unstubAllEnvs();
    await syncTree(folder);
  });
});

describe("writeFully", () => {
  it("writes where it is told to, or where the last write ended", () => {
    const path = join(temporaryFolder(), "file");
    const handle = openSync(path, "w+");
    writeFully(handle, Buffer.from("abc"));
    writeFully(handle, Buffer.from("def"));
    writeFully(handle, Buffer.from("X"), 1);
    closeSync(handle);
    expect(readFileSync(path, "utf8")).toBe("aXcdef");
  });
});

describe("walkSorted", () => {
  it("gives the paths in the order of their text, whatever is a folder", () => {
    const segment = fc.stringMatching(/^[a-c.-]{1,3}$/).filter((name) => !/^\.+$/.test(name));
    const paths = fc.array(fc.array(segment, { minLength: 1, maxLength: 3 }), { maxLength: 12 });
    const root = temporaryFolder();
    let run = 0;
    fc.assert(
      fc.property(paths, (wanted) => {
        const folder = join(root, String(run++));
        mkdirSync(folder);
        const made = new Set<string>();
        for (const parts of wanted) {
          const path = join(folder, ...parts);
          if (existsSync(path)) continue;
          try {
            mkdirSync(join(path, ".."), { recursive: true });
            writeFileSync(path, "");
          } catch (error) {
            // One of its folders is a file already.
            expect(isErrno(error, "ENOTDIR", "EEXIST")).toBe(true);
            continue;
          }
          made.add(parts.join("/"));
        }
        expect([...walkSorted(folder)]).toEqual([...made].sort());
      }),
      { numRuns: 60 },
    );
  });

  it("does not follow links", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "file"), "");
    symlinkSync(folder, join(folder, "real", "loop"));
    expect([...walkSorted(folder)]).toEqual(["real/file", "real/loop"]);
  });
});

describe("small helpers for files", () => {
  it("read no text where there is no file", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "ü");
    expect(readText(join(folder, "file"))).toBe("ü");
    expect(readText(join(folder, "none"))).toBeUndefined();
    expect(readText(join(folder, "file", "below"))).toBeUndefined();
    expect(() => readText(folder)).toThrow("EISDIR");
  });

  it("give a file a second name", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "x");
    await linkOrCopy(join(folder, "a"), join(folder, "b"));
    expect(statSync(join(folder, "a")).ino).toBe(statSync(join(folder, "b")).ino);
    await expect(linkOrCopy(join(folder, "a"), join(folder, "b"))).rejects.toThrow("EEXIST");
  });

  it("make folders, also where they are", () => {
    const folder = temporaryFolder();
    makeFolder(join(folder, "a", "b", "c"));
    makeFolder(join(folder, "a", "b", "c"));
    expect(statSync(join(folder, "a", "b", "c")).isDirectory()).toBe(true);
  });
});
