import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLinkFile } from "../../src/api/link-file.ts";
import { createLinkBook } from "../../src/api/links.ts";
import { type Disk, nodeDisk } from "../../src/lib/disk.ts";
import { temporaryFolder } from "../store/support.ts";

const minute = 60_000;
const hour = 60 * minute;
const newPath = (): string => join(temporaryFolder(), "links");
const link = (n: number) => ({
  kind: "images",
  id: `image-${n}`,
  url: `https://api.test/images/${n}/download?expires=1746180000&signature=c0ffee${n}`,
  until: 1_000 + n,
});

/** Neither closed nor synced, as by a run that is killed. */
function leave(path: string, token: string, count = 2): void {
  const file = openLinkFile(path, token);
  for (let n = 1; n <= count; n++) file.append(link(n));
}

describe("a file of links", () => {
  it("gives what a killed run has left, and adds to it", () => {
    const path = newPath();
    leave(path, "token");
    const file = openLinkFile(path, "token");
    expect(file.found).toEqual([link(1), link(2)]);
    file.append(link(3));
    file.close();
    expect(openLinkFile(path, "token").found).toEqual([link(1), link(2), link(3)]);
  });

  it("is whole also where the system takes a part of each write only", () => {
    const path = newPath();
    const slow: Disk = {
      ...nodeDisk,
      write: (to, bytes, start, length, position) =>
        nodeDisk.write(to, bytes, start, Math.min(length, 7), position),
    };
    const file = openLinkFile(path, "token", slow);
    for (const n of [1, 2]) file.append(link(n));
    file.close();
    expect(openLinkFile(path, "token").found).toEqual([link(1), link(2)]);
  });

  it("shows nothing of a link, and is for its owner only", () => {
    const path = newPath();
    leave(path, "token");
    const text = readFileSync(path, "latin1");
    const decoded = text.split("\n").map((line) => Buffer.from(line, "base64").toString("latin1"));
    for (const part of ["api.test", "image-1", "signature", "c0ffee", "token"]) {
      expect(text + decoded.join("\n")).not.toContain(part);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is of no use with another token, and begun anew", () => {
    const path = newPath();
    leave(path, "token");
    const other = openLinkFile(path, "another");
    expect(other.found).toEqual([]);
    other.append(link(7));
    other.close();
    expect(openLinkFile(path, "another").found).toEqual([link(7)]);
    expect(openLinkFile(path, "token").found).toEqual([]);
  });

  it.each<[string, (path: string) => void, number[]]>([
    ["is cut short in its last line", (path) => truncateSync(path, statSync(path).size - 5), [1]],
    ["is cut short in its salt", (path) => truncateSync(path, 9), []],
    ["has a line that is none", (path) => appendFileSync(path, "\nAAAA"), [1, 2]],
    ["is empty", (path) => truncateSync(path, 0), []],
  ])("loses no more than what is damaged where it %s", (_, damage, left) => {
    const path = newPath();
    leave(path, "token");
    damage(path);
    const file = openLinkFile(path, "token");
    expect(file.found).toEqual(left.map(link));
    file.append(link(8));
    file.close();
    expect(openLinkFile(path, "token").found).toEqual([...left, 8].map(link));
  });

  it("is not there before the first link", () => {
    const path = newPath();
    openLinkFile(path, "token").close();
    expect(existsSync(path)).toBe(false);
  });
});

describe("links that are kept in a file", () => {
  it("are given out by the next run until they are too old, and written once while they last", () => {
    const path = newPath();
    let now = Date.parse("2024-05-02T10:00:00Z");
    const open = () => createLinkBook(() => now, { file: openLinkFile(path, "token") });
    const first = open();
    first.remember("images", "a", "https://api.test/a?signature=1");
    const { size } = statSync(path);
    now += minute;
    first.remember("images", "a", "https://api.test/a?signature=2");
    expect(statSync(path).size).toBe(size);
    expect(open().take("images", "a")).toBe("https://api.test/a?signature=1");
    now += 6 * hour;
    first.remember("images", "a", "https://api.test/a?signature=3");
    expect(open().take("images", "a")).toBe("https://api.test/a?signature=3");
    now += 10 * hour;
    expect(open().take("images", "a")).toBeUndefined();
  });
});
