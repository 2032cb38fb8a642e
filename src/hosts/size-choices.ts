import type { Slot, SlotTable } from "../routes/slots.ts";

export const sizeParameters = ["thumb", "orientation", "scale", "width", "height"] as const;

/** Parameters of an image's query: this text, a number up to this one, or "any" value; others are ignored. */
export type SizeQuery = Partial<Record<(typeof sizeParameters)[number], string | number>>;

/** The slots of an image's queries, the first that fits counts; `boxes` are for a width and height together. */
export function sizeChoices<Choice>(
  { widths, heights, scales, largest }: SlotTable,
  boxes: readonly Choice[],
  choice: (query: SizeQuery, slot: Slot) => Choice,
): Choice[] {
  return [
    choice({ thumb: "p" }, "thumb/portrait"),
    choice({ thumb: "l" }, "thumb/landscape"),
    choice({ thumb: "any", orientation: "p" }, "thumb/portrait"),
    choice({ thumb: "any", orientation: "l" }, "thumb/landscape"),
    choice({ thumb: "any" }, "thumb/square"),
    ...boxes,
    ...widths.map(([width, slot]) => choice({ width }, slot)),
    choice({ width: "any" }, largest),
    ...heights.map(([height, slot]) => choice({ height }, slot)),
    choice({ height: "any" }, largest),
    ...scales.map(([scale, slot]) => choice({ scale }, slot)),
    choice({ scale: "any" }, largest),
  ];
}
