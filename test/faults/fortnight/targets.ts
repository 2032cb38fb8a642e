import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../src/lib/digest.ts";
import { type Bucket, startBucket } from "../../support/bucket.ts";
import type { Ground } from "../support/ground.ts";
import { type Contents, treeOf } from "../support/trees.ts";

/** What a publish says of itself. */
interface Sent {
  sent: number;
  removed: number;
}

/** The places that a job publishes to: a bucket with each night, and a folder after it. */
export interface Targets {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** What is wrong with the places after a good night, whose run has printed this. */
  lookAt(out: string, stdout: string, epoch: number): Promise<string[]>;
  close(): Promise<unknown>;
}

export async function startTargets(ground: Ground, folder: string): Promise<Targets> {
  const bucket = await startBucket();
  const path = join(folder, "www");
  /** What the archive was when it was published last. */
  let before: Contents = new Map();

  async function lookAt(out: string, stdout: string, epoch: number): Promise<string[]> {
    const now = treeOf(join(out, "public/"));
    const changed = [...now].filter(([key, sha]) => before.get(key) !== sha).map(([key]) => key);
    const { addresses } = JSON.parse(readFileSync(join(out, "changes.json"), "utf8"));
    const { upload } = JSON.parse(stdout) as { upload: Sent | null };
    const settings = { epoch, args: [`dir:${path}`] };
    const copied = await ground.start("publish", out, settings).ended;
    const broken = [
      ...wrongPlace("the bucket", now, before, contentsOf(bucket)),
      ...wrongPlace("the folder", now, before, ownless(treeOf(path))),
      ...wrongCount("the bucket", upload?.sent, changed.length),
      ...wrongCount("the folder", (JSON.parse(copied.stdout) as Sent).sent, changed.length),
      ...changed.flatMap((key) =>
        isNamed(`/${encodeURI(key)}`, addresses) ? [] : [`changes.json does not name ${key}`],
      ),
    ];
    before = now;
    return broken;
  }

  return {
    args: ["--publish", bucket.name],
    env: bucket.environment,
    lookAt,
    close: () => bucket.close(),
  };
}

function isNamed(address: string, addresses: readonly string[]): boolean {
  return addresses.some((one) =>
    one.endsWith("*") ? address.startsWith(one.slice(0, -1)) : one === address,
  );
}

function wrongCount(place: string, sent: number | undefined, changed: number): string[] {
  return sent === changed ? [] : [`${place} was sent ${sent} files, and ${changed} had changed`];
}

/** A place has all of the archive, and beside it nothing but what left with this night. */
function wrongPlace(place: string, now: Contents, before: Contents, found: Contents): string[] {
  const wrong = [...now].filter(([key, sha]) => found.get(key) !== sha).map(([key]) => key);
  const left = [...before.keys()].filter((key) => !now.has(key));
  const early = left.filter((key) => !found.has(key));
  const late = [...found.keys()].filter((key) => !now.has(key) && !before.has(key));
  return [
    ...wrong.map((key) => `${place} has not the ${key} of the archive`),
    ...early.map((key) => `${place} has lost ${key} early`),
    ...late.map((key) => `${place} still has ${key}`),
  ];
}

function contentsOf({ objects }: Bucket): Contents {
  return ownless(new Map([...objects].map(([key, { content }]) => [key, sha256(content)])));
}

function ownless(contents: Contents): Contents {
  return new Map([...contents].filter(([key]) => !key.startsWith(".stillpress/")));
}
