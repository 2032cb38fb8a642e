import { WireEnvelope } from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import type { FilterLinks, Learned } from "../routes/learned.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";

/** What a page must show to tell whether it is the one behind the last. */
interface SeenPage {
  count: number;
  lastPage?: number;
  /** Null where it follows from page 1's. */
  envelope: string | null;
}

/** Statuses that mean "there is no such page". */
const noPage = new Set([400, 404, 410, 416, 422]);

/**
 * Reads a page of an index. Where it is behind the last one, the walk's own look behind the end tells how the origin
 * answers there: with an empty page, or with an error.
 */
export async function readNoting<P extends SeenPage>(
  { behind }: Pick<CrawlContext, "behind">,
  index: string,
  { number, first }: { number: number; first: SeenPage | undefined },
  read: () => Promise<P>,
): Promise<P> {
  const isBehind = first !== undefined && first.count > 0 && number > (first.lastPage ?? number);
  try {
    const page = await read();
    if (isBehind && page.count === 0) {
      behind.set(index, {
        status: 200,
        ...(page.envelope === null ? {} : { envelope: page.envelope }),
      });
    }
    return page;
  } catch (error) {
    if (isBehind && error instanceof ApiError && noPage.has(error.status)) {
      behind.set(index, { status: error.status });
    }
    throw error;
  }
}

/** What earlier crawls and this one have learnt, as a member of the manifest; nothing where that is nothing. */
export function learnedOf(
  { behind }: Pick<CrawlContext, "behind">,
  { filterLinks, emptyLists = {}, singleImages, ...known }: Learned,
): Pick<SnapshotManifest, "learned"> {
  const indexes = { ...known.behind, ...Object.fromEntries(behind) };
  const learned = {
    ...known,
    ...(filterLinks === undefined ? {} : { filterLinks }),
    ...(Object.keys(indexes).length === 0 ? {} : { behind: indexes }),
    ...(Object.keys(emptyLists).length === 0 ? {} : { emptyLists }),
    ...(singleImages === undefined ? {} : { singleImages }),
  };
  return Object.keys(learned).length === 0 ? {} : { learned };
}

/**
 * How an answer to a request with filters writes them into its links; undefined where no link of it has both a
 * filter and a page.
 */
export function filterLinksOf(answer: unknown): FilterLinks | undefined {
  const { links } = WireEnvelope.safeParse(answer).data ?? {};
  for (const url of Object.values(links ?? {})) {
    if (typeof url !== "string") continue;
    const query = url.split("?", 2)[1] ?? "";
    const names = query.split("&").map((part) => part.split("=", 1)[0]);
    const [page, filter] = [names.indexOf("page"), names.findIndex((name) => isFilter(name))];
    if (page === -1 || filter === -1) continue;
    const comma = /(?:^|&)tags=[^&]*,/.test(query) ? "," : "%2C";
    return { page: page < filter ? "first" : "last", comma };
  }
  return undefined;
}

function isFilter(name: string | undefined): boolean {
  return name === "year" || name === "tags";
}
