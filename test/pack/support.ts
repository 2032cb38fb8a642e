import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";

/** What programs that others wrote say of a zip: its names, after all its checksums were found right. */
export function readZip(path: string): string[] {
  execFileSync("unzip", ["-tqq", path]);
  const script =
    "import json, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps(z.namelist()))";
  return JSON.parse(execFileSync("python3", ["-c", script, path], { maxBuffer: 1e9 }).toString());
}

/** Unpacks a zip into a new folder below another one. */
export function unzip(path: string, below: string): string {
  const folder = mkdtempSync(join(below, "unzipped-"));
  execFileSync("unzip", ["-qq", path, "-d", folder]);
  return folder;
}
