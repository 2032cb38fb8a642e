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
import { describe, expect, it } from "vitest";
import {
  isErrno,
  linkOrCopy,
  makeFolder,
  readText,
  walkSorted,
  writeDurably,
  writeFully,
} from "../../src/lib/files.ts";
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
