import { WireEnvelope } from "../api/schema.ts";
import type { FilterLinks, Learned } from "../routes/learned.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";

/** What was learnt as a member of the manifest; nothing where that is nothing. */
export function learnedOf(learned: Learned): Pick<SnapshotManifest, "learned"> {
  const known = Object.values(learned).some((fact) => fact !== undefined);
  return known ? { learned } : {};
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
