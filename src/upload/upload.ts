import type { Config } from "../config.ts";
import { GuardError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { FileList } from "../lib/file-list.ts";
import { append } from "../lib/many.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { bytesText } from "../site/formats.ts";
import { openTarget } from "../targets/open.ts";
import type { Place } from "../targets/place.ts";
import type { Target, TargetObject } from "../targets/target.ts";
import { type Damage, findDamage, requireTwins, verifySent } from "./check.ts";
import type { UploadContent } from "./content.ts";
import {
  type Deployed,
  type DeployedObject,
  deployedObject,
  nothingDeployed,
  readDeployed,
} from "./deployed.ts";
import { type Lease, type LeaseTimes, takeLease } from "./lease.ts";
import { planUpload, refuseMassDeletion, type Sending, type UploadPlan } from "./plan.ts";
import { forgetSending, noteSending, readSending } from "./sending.ts";

export interface UploadInput {
  place: Place;
  settings: Pick<Config["publish"], "keepDeleted" | "maxDeleted" | "apiKeys">;
  content: UploadContent;
  /** Which guards are off: whether more files may leave than the setting allows, and a later content may be replaced. */
  isForced: { deletions: boolean; later: boolean };
  /** Whether what lies at the target is compared with its manifest, and mended. */
  check: boolean;
  reporter: Reporter;
  now: () => Date;
  signal: AbortSignal;
  times?: LeaseTimes | undefined;
}

export interface PlannedUpload {
  plan: UploadPlan;
  /** What the target held before, as far as its manifest says. */
  deployed: Deployed;
  /** What a check has found. */
  damage: Damage | undefined;
}

export interface Upload extends PlannedUpload {
  /** Number of the publish at this target. */
  generation: number;
  sent: number;
  sentBytes: number;
}

/** Objects that are sent or removed at once. */
const atOnce = 32;
/** So many new objects are read back, of all that were sent, and so many of those that took the place of others. */
const readBack = { new: 100, other: 1_000 };

/** What a publish would do. @throws GuardError where too much would leave, or the target has a later content */
export async function planPublish(input: UploadInput): Promise<PlannedUpload> {
  const target = openTarget(input.place, input.signal);
  try {
    return await planAt(target, input, new Set());
  } finally {
    await target.close();
  }
}

/**
 * Brings a target up to date with a content: sends what it lacks, then the manifest, and removes what has been
 * out of it for long enough. A run that ends early leaves a target without broken links, and the next one sends
 * only what is missing.
 *
 * @throws GuardError before anything is sent, where too much would leave or the target has a later content
 * @throws TargetError where the target fails, or is in use by another run
 * @throws the signal's reason
 */
export async function publishTo(input: UploadInput): Promise<Upload> {
  const lost = new AbortController();
  const signal = AbortSignal.any([input.signal, lost.signal]);
  const target = openTarget(input.place, signal);
  // The lease is let go of also when the run is to end.
  const keeper = openTarget(input.place);
  try {
    const { reporter, times } = input;
    const onLost = (error: Error): void => lost.abort(error);
    const lease = await takeLease(keeper, { reporter, times, signal, onLost });
    let isFinished = false;
    try {
      const upload = await publishUnder(lease, target, { ...input, signal });
      isFinished = true;
      return upload;
    } finally {
      await lease.release(isFinished);
    }
  } finally {
    await target.close();
    await keeper.close();
  }
}

/** @param touched keys that a run may have written which did not come to its end */
async function planAt(
  target: Target,
  input: UploadInput,
  touched: ReadonlySet<string>,
): Promise<PlannedUpload> {
  const { settings, content, isForced, check, reporter, now, signal } = input;
  const deployed = (await readDeployed(target)) ?? nothingDeployed;
  refuseOtherKind(target, deployed, content);
  if (!isForced.later) content.refuse(target.name, deployed);
  const damage = check ? await checked(target, deployed, reporter) : undefined;
  signal.throwIfAborted();
  const plan = planUpload({
    content,
    deployed,
    damaged: damage?.damaged ?? new Set(),
    touched,
    settings,
    now: Math.floor(now().getTime() / 1000),
  });
  if (!isForced.deletions) refuseMassDeletion(plan, deployed, settings.maxDeleted);
  return { plan, deployed, damage };
}

/** @throws GuardError where a store would take the place of an archive, or the other way round */
function refuseOtherKind({ name }: Target, { kind, generation }: Deployed, content: UploadContent) {
  if (generation === 0 || kind === content.kind) return;
  const [there, here] = [kind, content.kind].map((one) => kindWords[one]);
  throw new GuardError(`${name} has ${there}, which ${here} would replace`, {
    hint: "nothing was sent; name another target, such as another prefix of the bucket",
  });
}

const kindWords = { archive: "a published archive", state: "the state of a store" };

async function checked(target: Target, deployed: Deployed, reporter: Reporter): Promise<Damage> {
  const stage = reporter.stage("looking at the target");
  const damage = await findDamage(target, deployed);
  stage.end(`${plural(damage.damaged.size, "object")} to mend`);
  return damage;
}

async function publishUnder(lease: Lease, target: Target, input: UploadInput): Promise<Upload> {
  const { settings, reporter } = input;
  const touched = lease.afterUnfinished ? await readSending(target) : new Set<string>();
  const planned = await planAt(target, input, touched);
  const { plan, deployed } = planned;
  if (settings.apiKeys && !deployed.apiKeys) await requireTwins(target);
  lease.beginWriting();
  if (plan.steps.length > 0) await noteSending(target, plan, touched);
  const { sent, sentBytes } = await sendAll(target, plan, input, lease.afterUnfinished);
  const isSame = plan.steps.length + plan.leaving.length + plan.expired.length === 0;
  const { generation } = deployed;
  if (isSame && deployed.name === input.content.name)
    return { ...planned, generation, sent, sentBytes };
  const chosen = toReadBack(plan);
  const reading = reporter.stage("reading back", chosen.length);
  await verifySent(target, chosen, () => reading.advance());
  reading.end();
  await target.settle();
  await lease.ensure();
  const next = nextDeployed(input, planned);
  await target.put(deployedObject(next));
  await removeExpired(target, plan, next, reporter);
  await forgetSending(target);
  return { ...planned, generation: next.generation, sent, sentBytes };
}

/** @param mayBeThere whether an earlier run may have sent some of it already */
async function sendAll(
  target: Target,
  { steps, bytes }: UploadPlan,
  { reporter, signal }: UploadInput,
  mayBeThere: boolean,
) {
  const count = steps.reduce((total, { length }) => total + length, 0);
  const stage = reporter.stage("publish", count);
  let [sent, sentBytes, doneBytes] = [0, 0, 0];
  const send = async ({ object }: Sending): Promise<void> => {
    signal.throwIfAborted();
    if (!(mayBeThere && (await target.has(object)))) {
      await target.put(object);
      sent++;
      sentBytes += object.bytes;
    }
    doneBytes += object.bytes;
    stage.note(`${bytesText(doneBytes)} of ${bytesText(bytes)}`);
    stage.advance();
  };
  for (const step of steps) await eachLimited(step, atOnce, send);
  stage.end(`${plural(sent, "file")} sent, ${bytesText(sentBytes)}`);
  return { sent, sentBytes };
}

/** What took the place of something else may be what a cache, or a store without digests, still has. */
function toReadBack({ steps }: UploadPlan): TargetObject[] {
  const fresh: TargetObject[] = [];
  const others: TargetObject[] = [];
  for (const step of steps)
    for (const { object, reason } of step) (reason === "new" ? fresh : others).push(object);
  const chosen = sampleOf(fresh, readBack.new);
  append(chosen, sampleOf(others, readBack.other));
  return chosen;
}

/** So many items of a list, from all parts of it. */
function sampleOf<T>(items: readonly T[], count: number): T[] {
  const every = Math.max(1, items.length / count);
  const length = Math.min(items.length, count);
  return Array.from({ length }, (_, at) => items[Math.floor(at * every)] as T);
}

function nextDeployed(input: UploadInput, { plan, deployed }: PlannedUpload): Deployed {
  const { content, settings, now } = input;
  return {
    stillpress: 1,
    kind: content.kind,
    generation: deployed.generation + 1,
    name: content.name,
    published: now().toISOString(),
    newest: content.newest,
    apiKeys: settings.apiKeys,
    ...plan.next,
  };
}

/** Removes what has been out of the archive for long enough, and then its lines of the manifest. */
async function removeExpired(
  target: Target,
  { expired }: UploadPlan,
  next: Deployed,
  reporter: Reporter,
): Promise<void> {
  if (expired.length === 0) return;
  const stage = reporter.stage("removing", expired.length);
  await eachLimited(expired, atOnce, async ({ path }) => {
    await target.remove(path);
    stage.advance();
  });
  const gone = new Set(expired.map(({ path }) => path));
  const objects = new FileList<DeployedObject>();
  for (const one of next.objects.values()) if (!gone.has(one.path)) objects.put(objects.size, one);
  await target.put(deployedObject({ ...next, objects }));
  stage.end();
}
