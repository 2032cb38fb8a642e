import { type Box, boxSteps, type Slot, type SlotTable, stepsOf } from "../routes/slots.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { atMost, decimal, escapedDecimal, roundedUpTo, spelled, zero } from "./patterns.ts";

/** Lookups of the slot that answers an image's query; sides that are no positive numbers are left out. */
export function slotLookups(slots: SlotTable): Lookup[] {
  const number = {
    [`^(?:${zero})?$`]: "",
    [`^(${decimal})$`]: "$1",
    [`^${escapedDecimal}$`]: "!",
  };
  const source = "{q_thumb}&{q_orientation}&{scale}&{width}&{height}&{box}";
  const both = "^(?:[^&]*&){3}[^&]+&[^&]+&";
  const boxes: LookupCase[] = [
    ["^[^&]*&[^&]*&.*!", "/_"],
    [`${both}(.+)$`, "$1"],
    // A box of another shape than all that there are: whatever else were sent would be another picture.
    [both, "/_"],
  ];
  return [
    ...["scale", "width", "height"].map((name) => lookup(name, `{q_${name}}`, number, "")),
    ...boxLookups(slots.boxes),
    lookup("slot", source, slotCases(slots, boxes), ""),
  ];
}

/** The slots of queries; `boxes` are for a width and height together. */
function slotCases(
  { widths, heights, scales, largest }: SlotTable,
  boxes: readonly LookupCase[],
): LookupCase[] {
  return [
    slotCase({ thumb: "p" }, "thumb/portrait"),
    slotCase({ thumb: "l" }, "thumb/landscape"),
    slotCase({ thumb: "any", orientation: "p" }, "thumb/portrait"),
    slotCase({ thumb: "any", orientation: "l" }, "thumb/landscape"),
    slotCase({ thumb: "any" }, "thumb/square"),
    ...boxes,
    ...widths.map(([width, slot]) => slotCase({ width }, slot)),
    slotCase({ width: "any" }, largest),
    ...heights.map(([height, slot]) => slotCase({ height }, slot)),
    slotCase({ height: "any" }, largest),
    ...scales.map(([scale, slot]) => slotCase({ scale }, slot)),
    slotCase({ scale: "any" }, largest),
  ];
}

/** The parameters of an image's query. */
export const sizeParameters = ["thumb", "orientation", "scale", "width", "height"] as const;

/** @param query this text, a number up to this one, or "any" value; others are ignored */
function slotCase(
  query: Partial<Record<(typeof sizeParameters)[number], string | number>>,
  slot: Slot,
): LookupCase {
  const values = sizeParameters.map((name) => {
    const value = query[name];
    if (value === undefined) return "[^&]*";
    if (value === "any") return "[^&]+";
    if (typeof value === "string") return spelled(value);
    return name === "scale" ? atMost(value) : roundedUpTo(value);
  });
  return [`^${values.join("&")}&`, folderOfSlot(slot)];
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
      .filter((limit) => limit > 0)
      .map((limit, step): LookupCase => [`^${roundedUpTo(limit)}$`, letters[step] ?? ""])
      .reverse();
  return [
    ...boxes.flatMap(([width, height], at) => [
      lookup(`across${at}`, "{width}", stepCases(width), ""),
      lookup(`down${at}`, "{height}", stepCases(height), ""),
    ]),
    lookup(
      "box",
      boxes.map((_, at) => `{across${at}}{down${at}}`).join("&"),
      boxes.map(([, , slot], at) => [
        `^${"[^&]*&".repeat(at)}(?:${near.join("|")})(?:&|$)`,
        folderOfSlot(slot),
      ]),
      "",
    ),
  ];
}
