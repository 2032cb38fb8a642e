import { isDeepStrictEqual } from "node:util";
import { utcTime } from "../api/times.ts";
import { ApiError, BudgetError } from "../errors.ts";
import { mapMembers, membersOf } from "../lib/jsontext.ts";
import type { SingleForm, SingleImages } from "../routes/learned.ts";
import { singleWriter, timeFormOf } from "../store/single-form.ts";
import type { Ref } from "../store/snapshots.ts";
import { ask } from "./ask.ts";
import { addRemark, type CrawlContext } from "./context.ts";
import { isRefusal } from "./failures.ts";

/** An image as a list has it, and the answer to a request for it alone; raw texts without signatures. */
export interface SingleSample {
  id: string;
  listed: string;
  answer: string;
}

/** Crawls until images that follow from their list items are requested alone again. */
const roundsUntilAgain = 30;

/**
 * How the origin answers for single images: the first, the middle and the last one are requested and compared with
 * their list items. A remark tells if the answers do not follow from these.
 */
export async function askSingleImages(
  context: CrawlContext,
  known: SingleImages | undefined,
  images: readonly Ref[],
): Promise<SingleImages | undefined> {
  const { draft, config } = context;
  if (config.origin.paths.image === null) return undefined;
  const due = !known?.form || draft.round % roundsUntilAgain === 0;
  const learned = (due ? await learn(context, images) : undefined) ?? known;
  if (learned?.form === null) {
    const differ = "their answers differ from the list items, so the mirror gives the list items";
    addRemark(context, { subject: "single images", reason: `${differ}: ${learned.reason}` });
  }
  return learned;
}

/** Undefined where the origin gave no answer that tells anything. */
async function learn(context: CrawlContext, images: readonly Ref[]) {
  const samples: SingleSample[] = [];
  const chosen = new Set([images[0], images[images.length >> 1], images.at(-1)]);
  for (const ref of chosen) {
    const url = ref && context.routes.urlOf({ route: "single", index: "images", id: ref.id });
    if (ref === undefined || url === undefined) return undefined;
    try {
      const answer = await ask<string>(context, { url, read: ({ text }) => text });
      samples.push({ id: ref.id, listed: context.store.objects.readRaw(ref.digest), answer });
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof BudgetError)) throw error;
      if (error instanceof ApiError && isRefusal(error)) {
        return { form: null, reason: `the origin answered with ${error.status}` };
      }
      context.reporter.info(`could not find out how single images are answered: ${error.message}`);
      return undefined;
    }
  }
  return deriveSingleForm(samples, context.config.origin.timezone);
}

/** The rule that makes every sample's answer out of its list item; null, with the reason, where there is none. */
export function deriveSingleForm(samples: readonly SingleSample[], timezone: string): SingleImages {
  let around: SingleForm["around"] = null;
  /** The members that are time stamps of another form, each with the first one that was seen. */
  const times = new Map<string, string>();
  for (const { id, listed, answer } of samples) {
    const found = findObject(answer, id);
    if (found === undefined) return { form: null, reason: "an answer does not have the object" };
    around = found.around;
    const member = differenceOf(JSON.parse(listed), found.object, times);
    if (member !== undefined) return { form: null, reason: `${member} differs from the list` };
  }
  const [written] = times.values();
  for (const zone of [timezone, "UTC"]) {
    const form = written === undefined ? null : timeFormOf(written, [...times.keys()], zone);
    if (form === undefined) break;
    const write = singleWriter({ around, times: form });
    const follows = samples.every(({ listed, answer }) =>
      isDeepStrictEqual(JSON.parse(write(listed)), JSON.parse(answer)),
    );
    if (follows) return { form: { around, times: form } };
  }
  const reason =
    written === undefined
      ? "answers differ around the object"
      : `their time stamps are not written in origin.timezone ${timezone}`;
  return { form: null, reason };
}

/** Where an answer has the object of an id: in one of its members, or all of it. */
export function findObject(answer: string, id: string) {
  const value: unknown = JSON.parse(answer);
  if (hasId(value, id)) return { around: null, object: value };
  for (const [member, text] of membersOf(answer)) {
    const object: unknown = JSON.parse(text);
    if (!hasId(object, id)) continue;
    const envelope = mapMembers(answer, (name, other) => (name === member ? "null" : other));
    return { around: { envelope, member }, object };
  }
  return undefined;
}

function hasId(value: unknown, id: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "id" in value && String(value.id) === id;
}

/** The member in which two objects differ. Time stamps of the same second are collected, and no difference. */
function differenceOf(
  listed: Record<string, unknown>,
  single: Record<string, unknown>,
  times: Map<string, string>,
): string | undefined {
  for (const name of new Set([...Object.keys(listed), ...Object.keys(single)])) {
    const [one, other] = [listed[name], single[name]];
    if (name in listed && name in single && isDeepStrictEqual(one, other)) continue;
    if (typeof one !== "string" || typeof other !== "string") return name;
    const [second, same] = [one, other].map((time) => utcTime(time)?.slice(0, 19));
    if (second === undefined || second !== same) return name;
    if (!times.has(name)) times.set(name, other);
  }
  return undefined;
}
