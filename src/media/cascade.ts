import { largest } from "../lib/many.ts";
import { centred, pixelsOf, type Region, type Size, type VariantPlan } from "./variants.ts";

/** How to make the pixels of one plan. */
export interface CascadeStep {
  plan: VariantPlan;
  /** 0 is the decoded base; n is what step n - 1 made. */
  source: number;
  /** Part of the source, in its pixels; undefined where it is all of it. */
  extract: Region | undefined;
}

/** How many times larger a good source is: smaller steps blur more each time, larger ones read more than is needed. */
const goodRatio = 1.5;

/**
 * Plans the resizing of one original: decode it to `base`, then go step by step from large to small, each size from
 * the smallest good raw image before it. Target sizes are the plans' own, so that rounding never adds up.
 */
export function planCascade(original: Size, plans: readonly VariantPlan[]) {
  const needs = plans.map((plan) => ({ plan, need: cover(original, plan) }));
  needs.sort((a, b) => pixelsOf(b.need) - pixelsOf(a.need));
  const covers = needs.map(({ need }) => need);
  const base = baseOf(original, covers);
  // Whole pictures first: crops are taken from them, and nothing is taken from a crop.
  needs.sort((a, b) => Number(a.plan.crop) - Number(b.plan.crop));
  const raws: Size[] = [base];
  const steps = needs.map(({ plan, need }): CascadeStep => {
    const source = sourceFor(raws, need);
    const raw = raws[source] as Size;
    const extract = plan.crop ? regionIn(raw, original, plan) : undefined;
    // A crop is no source; a place of no size keeps the numbering.
    raws.push(plan.crop ? { width: 0, height: 0 } : plan);
    return { plan, source, extract };
  });
  return { base, steps };
}

/** The largest cover. If rounding made another one wider or higher by more than a pixel, the size that holds all. */
function baseOf(original: Size, covers: readonly Size[]): Size {
  const [first = original] = covers;
  const width = largest(covers.map((size) => size.width));
  const height = largest(covers.map((size) => size.height));
  return width - first.width <= 1 && height - first.height <= 1 ? first : { width, height };
}

/** Size of the whole picture in which the plan's part has the plan's size. */
export function cover(original: Size, { width, height, region }: VariantPlan): Size {
  return {
    width: Math.min(original.width, Math.round((original.width * width) / region.width)),
    height: Math.min(original.height, Math.round((original.height * height) / region.height)),
  };
}

function sourceFor(raws: readonly Size[], need: Size): number {
  let best = 0;
  for (const [index, raw] of raws.entries()) {
    if (raw.width === need.width && raw.height === need.height) return index;
    const good = raw.width >= need.width * goodRatio && raw.height >= need.height * goodRatio;
    if (good && pixelsOf(raw) < pixelsOf(raws[best] as Size)) best = index;
  }
  return best;
}

/** The plan's region in the pixels of a raw image; exactly the plan's size where only rounding differs. */
function regionIn(raw: Size, original: Size, plan: VariantPlan): Region {
  const side = (raw: number, whole: number, part: number, wanted: number): number => {
    const exact = (part * raw) / whole;
    return Math.min(raw, Math.abs(exact - wanted) < 1 ? wanted : Math.max(1, Math.round(exact)));
  };
  const width = side(raw.width, original.width, plan.region.width, plan.width);
  const height = side(raw.height, original.height, plan.region.height, plan.height);
  return centred(raw, { width, height });
}
