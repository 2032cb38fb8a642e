import { ConfigError, exitCodes, TargetError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { digestAt } from "../targets/reading.ts";
import { type Target, type TargetObject, textObject } from "../targets/target.ts";
import { type Deployed, ownFolder } from "./deployed.ts";

/** Objects that are read at once. */
const atOnce = 16;
/** Objects of which a check reads the bytes. */
const sampled = 200;

/** What lies at a target beside what its manifest says. */
export interface Damage {
  /** Keys that are missing there, or have other bytes. */
  damaged: ReadonlySet<string>;
  /** How many keys no publish has put there. They stay. */
  foreign: number;
}

/** Compares all keys and sizes of a target with its manifest, and reads a sample of the objects. */
export async function findDamage(target: Target, { objects }: Deployed): Promise<Damage> {
  const sizes = new Map<string, number>();
  let foreign = 0;
  for await (const { key, bytes } of target.list("")) {
    if (objects.has(key)) sizes.set(key, bytes);
    else if (!key.startsWith(ownFolder)) foreign++;
  }
  const damaged = new Set<string>();
  const every = Math.max(1, Math.floor(objects.size / sampled));
  const sample: { path: string; sha256: string }[] = [];
  let at = Math.floor(Math.random() * every);
  for (const { path, bytes, sha256 } of objects.values()) {
    if (sizes.get(path) !== bytes) damaged.add(path);
    else if (at++ % every === 0) sample.push({ path, sha256 });
  }
  await eachLimited(sample, atOnce, async ({ path, sha256 }) => {
    if ((await digestAt(target, path)) !== sha256) damaged.add(path);
  });
  return { damaged, foreign };
}

/** Reads objects back that were sent. @throws TargetError where one is not what was sent */
export async function verifySent(
  target: Target,
  sent: readonly TargetObject[],
  onRead: () => void,
): Promise<void> {
  await eachLimited(sent, atOnce, async ({ key, sha256 }) => {
    onRead();
    if ((await digestAt(target, key)) === sha256) return;
    throw new TargetError(`${target.name}: ${key} is there with other bytes than were sent`, {
      exitCode: exitCodes.damaged,
      hint: "run again; if it stays so, something between here and the target changes what is sent",
    });
  });
}

const twins = [`${ownFolder}twin`, `${ownFolder}twin/of-it`];

/**
 * Tries whether a target holds a key beside others that begin with it and "/": not all stores do.
 *
 * @throws ConfigError where it does not
 */
export async function requireTwins(target: Target): Promise<void> {
  const found = await tryTwins(target);
  if (found) return;
  throw new ConfigError(`${target.name} cannot hold "articles" beside "articles/1"`, {
    hint: "set publish.apiKeys to false, and let the CDN answer the paths of the API",
  });
}

async function tryTwins(target: Target): Promise<boolean> {
  try {
    for (const key of twins) await target.put(textObject(key, key));
    const listed: string[] = [];
    for await (const { key } of target.list(twins[0] as string)) listed.push(key);
    const digests = await Promise.all(twins.map((key) => digestAt(target, key)));
    const wanted = twins.map((key) => textObject(key, key).sha256);
    return twins.every((key, at) => listed.includes(key) && digests[at] === wanted[at]);
  } catch (error) {
    if (error instanceof TargetError && error.exitCode === exitCodes.credentials) throw error;
    return false;
  } finally {
    for (const key of twins.toReversed()) await target.remove(key).catch(() => {});
  }
}
