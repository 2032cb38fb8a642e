import { type Dice, dice } from "../lib/random.ts";
import { type Filters, isFiltered } from "../routes/filters.ts";
import type { Rules } from "../routes/rules.ts";
import {
  nearestSlotOf,
  queryOfScaling,
  type Scaling,
  type SlotTable,
  scalingOfSlot,
  slotOf,
} from "../routes/slots.ts";
import { type ApiRequest, attachmentRoutes, type MirrorTable } from "../routes/table.ts";
import type { Item, Population } from "./population.ts";

/** What a mirror says that it answers: combinations of filters and sizes of images, or any of them. */
export interface Claims extends Pick<Rules, "filters" | "slots"> {
  any: boolean;
}

export interface Draft {
  request: ApiRequest;
  /** Where in a list of unknown length the page lies, from 0 up to 1; undefined for the page in the request. */
  pageShare?: number | undefined;
  /** How the size of an image is asked for, beginning with "?"; empty for the web version. */
  query?: string;
}

type ImageItem = Population["images"][number];

interface Drawing {
  random: Dice;
  population: Population;
  claims: Claims;
}

/** How requests are drawn, with the share of each kind; undefined where the origin has nothing to ask for. */
const kinds: [share: number, draw: (drawing: Drawing) => Draft | undefined][] = [
  [14, drawPage],
  [24, (drawing) => drawFiltered("articles", drawing)],
  [6, (drawing) => drawFiltered("galleries", drawing)],
  [3, ({ random }) => ({ request: { route: "all", index: random.pick(["categories", "tags"]) } })],
  [16, drawSingle],
  [14, drawAttachments],
  [20, drawImage],
  [3, drawOriginal],
];
const draws = kinds.flatMap(([share, draw]) => Array<typeof draw>(share).fill(draw));

/** Draws requests: the same for the same seed, also for other mirrors if they claim to answer them. */
export function createDraw(
  population: Population,
  table: MirrorTable,
  claims: Claims,
  seed: number,
): (number: number) => Draft {
  return (number) => {
    for (let attempt = 0; attempt < 30; attempt++) {
      const random = dice(seed, number, attempt);
      const draft = random.pick(draws)({ random, population, claims });
      if (draft !== undefined && table.pathOf(draft.request) !== undefined) return draft;
    }
    return { request: { route: "index", index: "articles", page: 1 } };
  };
}

function drawPage({ random, population }: Drawing): Draft | undefined {
  if (population.pages.size === 0) return undefined;
  const [index, last] = random.pick([...population.pages]);
  return { request: { route: "index", index, page: 1 + random.roll(last) } };
}

function drawSingle({ random, population }: Drawing): Draft | undefined {
  const index = random.pick(["articles", "galleries", "images"] as const);
  if (population[index].length === 0) return undefined;
  const { id } = random.pick<{ id: string }>(population[index]);
  return { request: { route: "single", index, id } };
}

function drawAttachments({ random, population }: Drawing): Draft | undefined {
  const { parent, kind } = random.pick(attachmentRoutes);
  if (population[parent].length === 0) return undefined;
  const { id } = random.pick(population[parent]);
  const pageShare = random.chance(30) ? random.share() : undefined;
  return { request: { route: "attachments", parent, id, kind, page: 1 }, pageShare };
}

function drawImage(drawing: Drawing): Draft | undefined {
  const { random, population } = drawing;
  if (population.images.length === 0) return undefined;
  const image = random.pick(population.images);
  const query = drawScaling(image, drawing);
  return { request: { route: "binary", id: image.id, scaling: {} }, query };
}

function drawOriginal({ random, population }: Drawing): Draft | undefined {
  if (population.images.length === 0) return undefined;
  return { request: { route: "download", id: random.pick(population.images).id } };
}

function drawFiltered(index: "articles" | "galleries", drawing: Drawing): Draft | undefined {
  const { random, population } = drawing;
  if (population[index].length === 0) return undefined;
  const filters = drawFilters(index, drawing);
  if (!isFiltered(filters)) return undefined;
  const request: ApiRequest = { route: "index", index, page: 1, filters };
  return { request, pageShare: random.chance(40) ? random.share() : undefined };
}

/** Parts of a combination that an index knows: `tag` may stand in it twice. */
const knownParts = {
  articles: ["year", "month", "category", "tag", "tag"],
  galleries: ["year", "month"],
};

/** Filters that the mirror claims: a single one is any that the origin knows, several are an item's, to list something. */
function drawFilters(index: "articles" | "galleries", drawing: Drawing) {
  const { random, population, claims } = drawing;
  const { categories, tags } = population;
  const free = random.chance(50);
  const item = random.pick(population[index]);
  const known = knownParts[index];
  if (claims.any && free) {
    const other = random.chance(30) ? random.pick(population[index]) : item;
    const parts = known.filter(() => random.chance(50));
    return filtersOf(parts, { ...other, year: item.year }, drawing);
  }
  const combinations = claims.filters
    .map((combination) => combination.split("+"))
    .filter((parts) => parts.every((part) => known.includes(part)));
  if (combinations.length === 0) return undefined;
  const parts = random.pick(combinations);
  const month = parts.join() === "year,month" ? 1 + random.roll(12) : item.month;
  if (parts.length > 1) return filtersOf(parts, { ...item, month }, drawing);
  const category = categories.length === 0 ? null : random.pick(categories).id;
  return filtersOf(parts, { ...item, month, category, tags }, drawing);
}

/** The values of an item for the parts of a combination; undefined if it lacks one. */
function filtersOf(parts: readonly string[], item: Item, { random, population }: Drawing) {
  const filters: Filters = {};
  if (parts.includes("year")) {
    if (item.year === 0) return undefined;
    filters.year = item.year;
    if (parts.includes("month")) filters.month = item.month || 1;
  }
  if (parts.includes("category")) {
    const category = population.categories.find(({ id }) => id === item.category);
    if (category === undefined) return undefined;
    const { id, slug } = category;
    filters.category = slug === "" || random.chance(50) ? id : slug;
  }
  const wanted = parts.filter((part) => part === "tag").length;
  const own = random.shuffled([...new Set(item.tags)]).slice(0, wanted);
  if (own.length < wanted) return undefined;
  return wanted === 0 ? filters : { ...filters, tags: own };
}

/** Queries of thumbnails, in the forms that the API document names. */
const thumbQueries =
  "?thumb=1 ?thumb=p ?thumb=l ?orientation=p&thumb=1 ?orientation=l&thumb=1".split(" ");

/** The query of a size that the mirror claims; "" for the web version. */
function drawScaling(image: ImageItem, { random, claims }: Drawing): string {
  const free = random.chance(50);
  const shape = random.share();
  if (shape < 0.15) return "";
  if (shape < 0.4) return random.pick(thumbQueries);
  if (claims.any && free && image.width > 0) return queryOfScaling(freeScaling(image, random));
  const { widths, heights, scales, boxes } = claims.slots;
  const sides = [...widths, ...heights, ...scales].map(([, slot]) => scalingOfSlot(slot));
  const larger: Scaling[] = [
    { width: image.width + 1 + random.roll(1000) },
    { height: image.height + 1 + random.roll(1000) },
    { scale: 100 + random.roll(200) },
  ];
  const isAsked = (one: Scaling): boolean => claims.any || isWhole(image, one, claims.slots);
  const scalings: Scaling[] = [
    ...sides.filter((one) => slotOf(one) !== "web"),
    ...boxes.map(([width, height]) => ({ width, height })),
    ...(image.width > 0 ? larger.filter(isAsked) : []),
  ];
  return scalings.length === 0 ? "" : queryOfScaling(random.pick(scalings));
}

/** Whether a mirror that only has its slots can answer a scaling above the original with all of its pixels. */
function isWhole({ width, height }: ImageItem, scaling: Scaling, slots: SlotTable): boolean {
  const answer = scalingOfSlot(nearestSlotOf(slots, scaling));
  if (answer.scale !== undefined) return answer.scale >= 100;
  const web = slots.widths.find(([, slot]) => slot === "web")?.[0] ?? 0;
  if (answer.height !== undefined) return answer.width === undefined && answer.height >= height;
  return (answer.width ?? web) >= width;
}

function freeScaling({ width, height }: ImageItem, random: Dice): Scaling {
  const side = (limit: number): number => 1 + random.roll(Math.ceil(limit * 1.2));
  const shape = random.share();
  if (shape < 0.3) return { width: untied(() => side(width), height / width) };
  if (shape < 0.5) return { height: untied(() => side(height), width / height) };
  if (shape < 0.8) return { width: side(width), height: side(height) };
  if (shape < 0.9) return { scale: 1 + random.roll(130) };
  return { scale: (1 + random.roll(1000)) / 10 };
}

/** A side for which the other one does not end in half a pixel: no document says how to round that. */
function untied(draw: () => number, ratio: number): number {
  for (let attempt = 0; attempt < 10; attempt++) {
    const side = draw();
    if (Math.abs(((side * ratio) % 1) - 0.5) > 1e-6) return side;
  }
  return 1;
}

/** The same request written otherwise: another order, escaped commas, and for a file a signature, which mirrors ignore. */
export function respelled(target: string, random: Dice, isFile: boolean): string {
  const [path = "", query = ""] = target.split("?");
  let parameters = query === "" ? [] : query.split("&");
  if (random.chance(40)) parameters = random.shuffled(parameters);
  parameters = parameters.map((parameter) => {
    if (!parameter.startsWith("tags=")) return parameter;
    const tags = parameter.slice("tags=".length).split(",");
    return `tags=${random.shuffled(tags).join(random.chance(40) ? "%2C" : ",")}`;
  });
  if (isFile && random.chance(30)) {
    parameters.unshift(`expires=${1_000_000_000 + random.roll(1_000_000_000)}`);
    const digits = random.roll(2 ** 32).toString(16);
    parameters.push(`signature=${digits.repeat(8)}`);
  }
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
}
