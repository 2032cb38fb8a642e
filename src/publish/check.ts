import { existsSync, lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readable, StoreError } from "../errors.ts";
import type { FilesByPath } from "../lib/file-list.ts";
import { walkSorted } from "../lib/files.ts";
import { otherWork } from "../lib/other-work.ts";
import { andMore } from "../lib/words.ts";
import {
  type DeployedFile,
  deployManifestName,
  manifestName,
  readBuildManifest,
  readDeployManifest,
} from "./manifest.ts";
import { lookAtRecord, recordName } from "./record.ts";

/** Something wrong in an archive. */
export interface Finding {
  /** Relative to the build or output folder that was checked, with `/`. */
  path: string;
  reason: string;
}

/** The folders of a build that have a manifest. */
type BuildPart = "public" | "deploy";

export interface CheckOptions {
  /** SHA-256 of a file by its path; without it no content is read. */
  digestOf?: (path: string) => string;
  onFile?: () => void;
}

/** Checks that a build has its record, and every file of its manifests with its size, and no other. */
export async function* checkBuild(
  build: string,
  options: CheckOptions = {},
): AsyncGenerator<Finding> {
  const record = lookAtRecord(build);
  if (record === "missing" || record === "damaged") {
    yield { path: recordName, reason: `is ${record}` };
  }
  yield* checkPublished(build, options);
  const deployed = readable(() => readDeployManifest(build));
  if (deployed === undefined) yield { path: deployManifestName, reason: "is damaged" };
  else if (deployed.size > 0) yield* checkTree(build, "deploy", deployed, options);
}

async function* checkPublished(build: string, options: CheckOptions): AsyncGenerator<Finding> {
  const files = readable(() => readBuildManifest(build));
  if (files !== undefined && files.size > 0)
    return yield* checkTree(build, "public", files, options);
  const reason = existsSync(join(build, manifestName)) ? "is damaged" : "is missing";
  yield { path: manifestName, reason };
}

/** @throws StoreError with the first findings where a build is not what its record and manifests say */
export async function requireWhole(build: string, options: CheckOptions = {}): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of checkBuild(build, options)) findings.push(finding);
  if (findings.length === 0) return;
  const named = findings.slice(0, maxNamed).map(({ path, reason }) => `${path} ${reason}`);
  const what = named.join(", ") + andMore(findings.length - named.length);
  throw new StoreError(`${build} is damaged: ${what}`, { hint: 'run "stillpress repair"' });
}

const maxNamed = 3;

async function* checkTree(
  build: string,
  part: BuildPart,
  listed: FilesByPath<DeployedFile>,
  { digestOf, onFile }: CheckOptions,
): AsyncGenerator<Finding> {
  for (const [below, file] of listed) {
    const path = `${part}/${below}`;
    const found = lstatSync(join(build, path), { throwIfNoEntry: false });
    const reason = reasonAgainst(found, file) ?? reasonInside(join(build, path), file, digestOf);
    if (reason !== undefined) yield { path, reason };
    onFile?.();
    await otherWork();
  }
  const root = join(build, part);
  for (const below of existsSync(root) ? walkSorted(root) : []) {
    if (!listed.has(below)) yield { path: `${part}/${below}`, reason: "is in no manifest" };
  }
}

/** What is wrong with a file, as far as that shows without reading it. */
export function reasonAgainst(
  found: Stats | undefined,
  { bytes }: DeployedFile,
): string | undefined {
  if (found === undefined) return "is missing";
  if (!found.isFile()) return "is not a file";
  return found.size === bytes ? undefined : `has ${found.size} bytes, its manifest says ${bytes}`;
}

function reasonInside(path: string, { sha256 }: DeployedFile, digestOf: CheckOptions["digestOf"]) {
  const isSame = digestOf === undefined || digestOf(path) === sha256;
  return isSame ? undefined : "has a different SHA-256 than its manifest says";
}
