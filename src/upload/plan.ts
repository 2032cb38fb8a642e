import type { Config } from "../config.ts";
import { GuardError } from "../errors.ts";
import { FileList } from "../lib/file-list.ts";
import { plural } from "../lib/words.ts";
import type { TargetObject } from "../targets/target.ts";
import { type ArchiveObject, ranks, type UploadContent } from "./content.ts";
import type { Deployed, DeployedObject } from "./deployed.ts";

/** Why an object is sent. */
export type Reason = "new" | "content" | "headers" | "damaged";

export interface Sending {
  object: ArchiveObject;
  reason: Reason;
}

export interface UploadPlan {
  /** Steps, each to be finished before the next begins. */
  steps: Sending[][];
  /** Keys that the build has no longer; they stay for a while. */
  leaving: DeployedObject[];
  /** Keys that have stayed long enough. */
  expired: DeployedObject[];
  /** What the target will hold. */
  next: Pick<Deployed, "headers" | "objects">;
  unchanged: number;
  bytes: number;
}

export interface PlanInput {
  content: Pick<UploadContent, "objects" | "rankOf">;
  deployed: Deployed;
  /** Keys of which the target does not hold what its manifest says. */
  damaged: ReadonlySet<string>;
  /** Keys that a run may have written which did not come to its end. */
  touched: ReadonlySet<string>;
  settings: Pick<Config["publish"], "keepDeleted">;
  /** Seconds since 1970. */
  now: number;
}

/**
 * What brings a target up to date. New objects come before changed ones, and what is linked to before what links: at
 * every moment, everything that readers see leads to something that is there. Nothing is taken away before the end.
 */
export function planUpload(input: PlanInput): UploadPlan {
  const { content, deployed, damaged, touched, settings, now } = input;
  const next = new FileList<DeployedObject>();
  const table = createHeaderTable();
  const steps = Array.from({ length: 2 * ranks }, (): Sending[] => []);
  let [unchanged, bytes] = [0, 0];
  for (const object of content.objects()) {
    const { key, sha256, url } = object;
    const headers = table.numberOf(object.headers);
    next.put(next.size, { path: key, sha256, bytes: object.bytes, headers, url });
    const reason = damaged.has(key) ? "damaged" : reasonFor(object, deployed, touched);
    if (reason === undefined) {
      unchanged++;
      continue;
    }
    bytes += object.bytes;
    const step = content.rankOf(key) + (reason === "new" ? 0 : ranks);
    steps[step]?.push({ object, reason });
  }
  const leaving: DeployedObject[] = [];
  const expired: DeployedObject[] = [];
  for (const one of heldAt(deployed, touched)) {
    if (next.has(one.path)) continue;
    const { left = now } = one;
    if (one.left === undefined) leaving.push(one);
    if (left + settings.keepDeleted <= now) expired.push(one);
    const headers = table.numberOf(deployed.headers[one.headers] ?? {});
    next.put(next.size, { ...one, headers, left });
  }
  const filled = steps.filter(({ length }) => length > 0);
  const result = { headers: table.all, objects: next };
  return { steps: filled, leaving, expired, next: result, unchanged, bytes };
}

/** What lies at a target, as far as anybody knows. */
function* heldAt({ objects }: Deployed, touched: ReadonlySet<string>): Generator<DeployedObject> {
  yield* objects.values();
  const unknown = { sha256: "", bytes: 0, headers: 0 };
  for (const path of touched) if (!objects.has(path)) yield { path, ...unknown };
}

/** Undefined where the target has it already. */
function reasonFor(
  { key, sha256, headers }: TargetObject,
  deployed: Deployed,
  touched: ReadonlySet<string>,
): Reason | undefined {
  const known = deployed.objects.get(key);
  if (known === undefined) return "new";
  if (known.sha256 !== sha256 || touched.has(key)) return "content";
  return sameHeaders(headers, deployed.headers[known.headers] ?? {}) ? undefined : "headers";
}

function sameHeaders(one: TargetObject["headers"], other: TargetObject["headers"]): boolean {
  return headersKey(one) === headersKey(other);
}

function headersKey(headers: TargetObject["headers"]): string {
  return JSON.stringify(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Numbers the different headers: an archive has few. */
function createHeaderTable() {
  const all: Record<string, string>[] = [];
  const numbers = new Map<string, number>();
  return {
    all,
    numberOf(headers: TargetObject["headers"]): number {
      const key = headersKey(headers);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, all.length);
      return all.push({ ...headers }) - 1;
    },
  };
}

/** @throws GuardError where more would leave than the setting allows */
export function refuseMassDeletion(
  { leaving }: UploadPlan,
  { objects }: Deployed,
  { share, files }: Config["publish"]["maxDeleted"],
): void {
  let held = 0;
  for (const { left } of objects.values()) if (left === undefined) held++;
  const most = Math.max(files, Math.floor(held * share));
  if (leaving.length <= most) return;
  const some = leaving
    .slice(0, 3)
    .map(({ path }) => path)
    .join(", ");
  throw new GuardError(
    `${plural(leaving.length, "file")} of ${held} would leave the target, such as ${some}; ${most} may`,
    {
      hint: "nothing was sent; check that this is the right target and a whole archive, then run again with --allow-deletions",
    },
  );
}
