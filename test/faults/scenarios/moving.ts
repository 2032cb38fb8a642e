import { join } from "node:path";
import { dice } from "../../../src/lib/random.ts";
import { articleOf, contentOf, galleryOf, imageOf } from "../hand-made.ts";
import { startMovingBench } from "../moving/bench.ts";
import { createMover, type MovingList, movingLists } from "../moving/changes.ts";
import type { Scenario } from "../scenario.ts";

const sizes = { articles: 60, galleries: 21, images: 33 };
const pageSize = 5;

/** How an index moves: changes in a hundred requests, and after how many requests it comes to rest. */
interface Pace {
  name: string;
  percent: number;
  restsAfter: number;
  /** Whether the changes are the pairs that no total shows, right behind the page that was read. */
  slides: boolean;
}

const never = Number.POSITIVE_INFINITY;
const paces: readonly Pace[] = [
  { name: "a few changes", percent: 2, restsAfter: never, slides: false },
  { name: "a change in ten requests", percent: 10, restsAfter: never, slides: false },
  { name: "a change in three requests", percent: 33, restsAfter: never, slides: false },
  { name: "a change after every request", percent: 100, restsAfter: never, slides: false },
  { name: "a change after every request at first", percent: 100, restsAfter: 30, slides: false },
  { name: "some changes at first", percent: 20, restsAfter: 40, slides: false },
  { name: "one slide", percent: 4, restsAfter: 25, slides: true },
  { name: "slides now and then", percent: 5, restsAfter: never, slides: true },
  { name: "a slide after every page", percent: 100, restsAfter: never, slides: true },
  { name: "slides at first", percent: 60, restsAfter: 20, slides: true },
];

interface Count {
  complete: number;
  incomplete: number;
  passes: number;
  changes: number;
  missingFromComplete: number;
  missingFromIncomplete: number;
}

/** An index that never stands still while it is read. */
export const moving: Scenario = {
  name: "moving",
  what: "indexes that gain, lose and reorder items between any two requests",
  async run({ long, seed, folder, note }) {
    const stores = long ? 1_000 : 100;
    const counts = new Map<string, Count>();
    const violations: string[] = [];
    let requests = 0;
    for (let number = 0; number < stores; number++) {
      const pace = paces[number % paces.length] as Pace;
      const count = counts.get(pace.name) ?? emptyCount();
      counts.set(pace.name, count);
      requests += await crawlTwice(seed, number, pace, join(folder, String(number)), {
        count,
        violations,
      });
      note(`${2 * number + 2} of ${2 * stores} crawls`);
    }
    const figures = [...counts].map(
      ([name, { complete, incomplete, passes, changes, ...missing }]) =>
        `${name}: ${complete} complete, ${incomplete} incomplete, ${changes} changes, ` +
        `${(passes / (complete + incomplete) / movingLists.length).toFixed(1)} passes of an index; ` +
        `missing ${missing.missingFromComplete} and ${missing.missingFromIncomplete}`,
    );
    return {
      figures: [
        `${2 * stores} crawls, ${requests.toLocaleString("en")} requests; what was there all the time and is ` +
          "missing is counted in complete and in incomplete snapshots",
        ...figures,
      ],
      violations,
    };
  },
};

function emptyCount(): Count {
  return {
    complete: 0,
    incomplete: 0,
    passes: 0,
    changes: 0,
    missingFromComplete: 0,
    missingFromIncomplete: 0,
  };
}

/** A first crawl and one that goes by its snapshot. @returns the requests they took */
async function crawlTwice(
  seed: number,
  number: number,
  pace: Pace,
  folder: string,
  { count, violations }: { count: Count; violations: string[] },
): Promise<number> {
  const throws = dice(seed, number, 4);
  const content = contentOf({
    articles: Array.from({ length: sizes.articles }, (_, at) => articleOf(at)),
    galleries: Array.from({ length: sizes.galleries }, (_, at) => galleryOf(at)),
    images: await Promise.all(Array.from({ length: sizes.images }, (_, at) => imageOf(at))),
  });
  const mover = await createMover(content, sizes);
  let asked = 0;
  const bench = await startMovingBench({
    content,
    folder,
    pageSize,
    crawl: { concurrency: throws.pick([1, 2, 8]) },
    before(path) {
      asked++;
      if (asked > pace.restsAfter || !throws.chance(pace.percent)) return;
      const page = pageOf(path);
      if (!pace.slides) mover.change(throws);
      else if (page !== undefined && page.number > 1) {
        mover.slide(page.list, (page.number - 1) * pageSize, throws);
      }
    },
  });
  let requests = 0;
  try {
    for (const turn of ["first", "second"]) {
      const there = idsOf();
      asked = 0;
      mover.takenOut();
      const changesBefore = mover.changes;
      const { manifest, ids, requests: asks } = await bench.crawl();
      requests += asks;
      const out = mover.takenOut();
      count.changes += mover.changes - changesBefore;
      count[manifest.complete ? "complete" : "incomplete"]++;
      for (const list of movingLists) {
        count.passes += manifest.proof.find((proof) => proof.list === list)?.passes ?? 0;
        const steady = [...there[list]].filter((id) => !out[list].has(id));
        for (const name of list === "images" ? [list] : [list, `${list}.single`]) {
          const missing = steady.filter((id) => !ids[name]?.has(id));
          count[manifest.complete ? "missingFromComplete" : "missingFromIncomplete"] +=
            missing.length;
          if (!manifest.complete || missing.length === 0) continue;
          violations.push(
            `${pace.name}, ${turn} crawl of store ${number}: ${missing.length} of ${name} are missing from a ` +
              `complete snapshot, such as ${missing[0]}`,
          );
        }
      }
    }
  } finally {
    await bench.close();
  }
  return requests;

  function idsOf(): Record<MovingList, Set<string>> {
    const of = (list: MovingList): Set<string> => new Set([...content[list]].map(({ id }) => id));
    return { articles: of("articles"), galleries: of("galleries"), images: of("images") };
  }
}

/** Which page of which index a request is for. */
function pageOf(url: string): { list: MovingList; number: number } | undefined {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const list = movingLists.find((name) => pathname.endsWith(`/v1/${name}`));
  if (list === undefined || searchParams.has("year") || searchParams.has("tags")) return undefined;
  return { list, number: Number(searchParams.get("page") ?? "1") };
}
