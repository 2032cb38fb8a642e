import { join } from "node:path";
import type { LoggedRequest } from "../../support/origin.ts";
import { articleOf, contentOf, galleryOf, idOf, imageOf } from "../hand-made.ts";
import type { Finding, Scenario } from "../scenario.ts";
import { type Ageing, pressOverTime } from "../virtual/press.ts";

const hour = 3_600_000;
const imageCount = 290;
const pageSize = 20;

const usual: Ageing = { linkSeconds: 12 * 3600, skewMs: 0, dates: true, secondsEach: 600 };

interface Case extends Ageing {
  name: string;
  /** Pages that may be read for new links, and links that may be refused; undefined where it is only told. */
  most?: { pages: number; refused: number };
}

/** About one page for as many links as it shows, and a refusal for none of them. */
const few = { pages: (2 * imageCount) / pageSize, refused: imageCount / 50 };

/** Turns the clock back by an hour at some requests, as after a wrong start or by hand. */
function turningBack(at: readonly number[]): Ageing["before"] {
  let asked = 0;
  return (clock) => {
    if (at.includes(++asked)) clock.turn(-hour);
  };
}

const cases = (): Case[] => [
  { ...usual, name: "links that live 12 h", most: few },
  { ...usual, name: "the origin's clock 3 h ahead", skewMs: 3 * hour, most: few },
  { ...usual, name: "the origin's clock 3 h behind", skewMs: -3 * hour, most: few },
  {
    ...usual,
    name: "our clock is turned back by 1 h, twice",
    before: turningBack([60, 260]),
    most: few,
  },
  {
    ...usual,
    name: "an origin that is 3 h ahead and does not say so",
    skewMs: 3 * hour,
    dates: false,
  },
  {
    ...usual,
    name: "an origin that is 3 h behind and does not say so",
    skewMs: -3 * hour,
    dates: false,
  },
  { ...usual, name: "links that live 30 minutes", linkSeconds: 1800, secondsEach: 60 },
  {
    ...usual,
    name: "links that live 30 minutes, the origin 3 h ahead",
    linkSeconds: 1800,
    secondsEach: 60,
    skewMs: 3 * hour,
  },
];

/** A crawl of three days, whose first links are long dead when the last files are fetched. */
export const ageing: Scenario = {
  name: "ageing",
  what: "signed links that expire six times over while a slow crawl goes on, on clocks that disagree",
  async run({ folder, note }) {
    const figures: string[] = [];
    const violations: string[] = [];
    for (const [number, one] of cases().entries()) {
      note(one.name);
      const finding = await runCase(one, join(folder, String(number)));
      figures.push(...finding.figures);
      violations.push(...finding.violations);
    }
    return { figures, violations };
  },
};

async function runCase({ name, most, ...times }: Case, folder: string): Promise<Finding> {
  const aged = await pressOverTime(await content(), folder, times);
  const { crawlRequests, mediaRequests } = aged;
  const pages = mediaRequests.filter((request) => !isBinary(request)).length;
  const refused = mediaRequests.filter(({ status }) => status === 403).length;
  const told = [...crawlRequests, ...mediaRequests].filter(
    (request) => isBinary(request) && request.authorization,
  ).length;
  const violations: string[] = [];
  const fault = (text: string): void => void violations.push(`${name}: ${text}`);
  if (!aged.complete) fault("the snapshot is not complete");
  if (aged.wanted !== imageCount) fault(`${aged.wanted} files are wanted instead of ${imageCount}`);
  if (aged.stored < imageCount) fault(`${imageCount - aged.stored} files are missing`);
  const [problem] = aged.problems;
  if (problem !== undefined) fault(`${aged.problems.length} problems, such as ${problem}`);
  if (told > 0) fault(`the token was sent with ${told} signed links`);
  if (most !== undefined && pages > most.pages) fault(`${pages} pages were read for new links`);
  if (most !== undefined && refused > most.refused) fault(`${refused} links were refused`);
  return {
    figures: [
      `${name}: ${aged.hours.toFixed(0)} h, ${crawlRequests.length} requests of the crawl, ` +
        `${aged.stored} of ${imageCount} files with ${mediaRequests.length} requests: ` +
        `${pages} pages for new links, ${refused} times 403`,
    ],
    violations,
  };
}

function isBinary({ url }: LoggedRequest): boolean {
  return /[?&]signature=/.test(url);
}

async function content() {
  const images = [];
  for (let number = 0; number < imageCount; number++) {
    images.push(await imageOf(number));
  }
  return contentOf({
    images,
    articles: Array.from({ length: 40 }, (_, number) =>
      articleOf(number, { images: [idOf("image", 3 * number), idOf("image", 5 * number + 1)] }),
    ),
    galleries: Array.from({ length: 4 }, (_, number) =>
      galleryOf(number, {
        images: Array.from({ length: 30 }, (_, at) => idOf("image", 40 * number + at)),
      }),
    ),
  });
}
