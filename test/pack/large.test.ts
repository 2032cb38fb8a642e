import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeZip } from "../../src/pack/zip-writer.ts";
import { readZip } from "./support.ts";

it("holds a file of more than 4 GiB, and files behind it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-pack-"));
  try {
    const path = join(folder, "x.zip");
    const piece = Buffer.alloc(64 << 20, "a long film ");
    const bytes = await writeZip(path, new Date(0), async (zip) => {
      await zip.add(
        "film",
        Array.from({ length: 65 }, () => piece),
      );
      await zip.add("after", [Buffer.from("found")]);
    });
    expect(bytes).toBeGreaterThan(65 * (64 << 20));
    expect(readZip(path)).toEqual(["film", "after"]);
    expect(execFileSync("unzip", ["-p", path, "after"]).toString()).toBe("found");
    const listed = execFileSync("unzip", ["-Z", path, "film"]).toString();
    expect(listed).toContain(String(65 * (64 << 20)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
