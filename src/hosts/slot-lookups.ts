import {
  type Box,
  boxSteps,
  type Slot,
  type SlotTable,
  stepsOf,
  thumbShapes,
} from "../routes/slots.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { atMost, decimal, escapedDecimal, roundedUpTo, spelled, zero } from "./patterns.ts";

/** Lookups of the slot that answers an image's query; sides that are no positive numbers are left out. */
export function slotLookups(slots: SlotTable): Lookup[] {
  const cases = [
    { pattern: `^(?:${zero})?$`, value: "" },
    { pattern: `^(${decimal})$`, value: "$1" },
    { pattern: `^${escapedDecimal}$`, value: "!" },
  ];
  const source = "{q_thumb}&{q_orientation}&{scale}&{width}&{height}&{box}";
  return [
    ...["scale", "width", "height"].map((name) => lookup(name, `{q_${name}}`, cases, "")),
    ...boxLookups(slots.boxes),
    lookup("slot", source, slotCases(slots), ""),
  ];
}

/** The slots of `{thumb}&{orientation}&{scale}&{width}&{height}&{box}`, in the order in which they are looked for. */
function slotCases({ widths, heights, scales, largest }: SlotTable): LookupCase[] {
  const cases: LookupCase[] = [];
  const add = (pattern: string, slot: string): void => {
    cases.push({ pattern: `^${pattern}`, value: folderOfSlot(slot) });
  };
  const [square, portrait, landscape] = thumbShapes.map((shape) => `thumb/${shape}`);
  add(`${spelled("p")}&`, portrait as string);
  add(`${spelled("l")}&`, landscape as string);
  add(`[^&]+&${spelled("p")}&`, portrait as string);
  add(`[^&]+&${spelled("l")}&`, landscape as string);
  add("[^&]+&", square as string);
  cases.push({ pattern: "^[^&]*&[^&]*&.*!", value: "/_" });
  const noThumb = "&[^&]*&";
  const noSide = "&&&$";
  cases.push({ pattern: `^${noThumb}[^&]*&[^&]+&[^&]+&(.+)$`, value: "$1" });
  // A box of another shape than all that there are: whatever else were sent would be another picture.
  cases.push({ pattern: `^${noThumb}[^&]*&[^&]+&[^&]+&$`, value: "/_" });
  for (const [width, slot] of widths) add(`${noThumb}[^&]*&${roundedUpTo(width)}&&$`, slot);
  add(`${noThumb}[^&]*&[^&]+&&$`, largest);
  for (const [height, slot] of heights) add(`${noThumb}[^&]*&&${roundedUpTo(height)}&$`, slot);
  add(`${noThumb}[^&]*&&[^&]+&$`, largest);
  for (const [scale, slot] of scales) add(`${noThumb}${atMost(scale)}${noSide}`, slot);
  add(`${noThumb}[^&]+${noSide}`, largest);
  return cases;
}

function folderOfSlot(slot: Slot): string {
  return slot === "web" ? "" : `/by/${slot}`;
}

/** Lookups of the box that answers `{width}` and `{height}`, by steps as `nearestBoxOf` has them: a letter for each. */
function boxLookups(boxes: readonly Box[]): Lookup[] {
  const letters = "abcdefghijklmnopqrstuvwxyz".slice(0, boxSteps);
  const near = Array.from(letters, (letter, step) => {
    return `${letter}[${letters.slice(Math.max(0, step - 1), step + 2)}]`;
  });
  // The first that matches counts: the smallest step, where a side is too small.
  const stepCases = (side: number): LookupCase[] =>
    stepsOf(side)
      .map((limit, step) => ({ limit, value: letters[step] ?? "" }))
      .filter(({ limit }) => limit > 0)
      .reverse()
      .map(({ limit, value }) => ({ pattern: `^${roundedUpTo(limit)}$`, value }));
  return [
    ...boxes.flatMap(([width, height], at) => [
      lookup(`across${at}`, "{width}", stepCases(width), ""),
      lookup(`down${at}`, "{height}", stepCases(height), ""),
    ]),
    lookup(
      "box",
      boxes.map((_, at) => `{across${at}}{down${at}}`).join("&"),
      boxes.map(([, , slot], at) => ({
        pattern: `^${"[^&]*&".repeat(at)}(?:${near.join("|")})(?:&|$)`,
        value: folderOfSlot(slot),
      })),
      "",
    ),
  ];
}
