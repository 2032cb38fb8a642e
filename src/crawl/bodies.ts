import { isDeepStrictEqual } from "node:util";
import { type BodyFinding, locateBody, unknownMembers } from "../store/body.ts";
import type { Article } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext } from "./context.ts";

const maxNamed = 12;

/** Looks at the bodies of single articles while they are crawled. */
export function watchBodies(context: CrawlContext) {
  const { store, config, reporter } = context;
  const counts: Record<BodyFinding["state"], number> = { found: 0, empty: 0, missing: 0 };
  /** The first article of the index without a recognisable body. */
  let example: { position: number; id: string; members: string[] } | undefined;

  return {
    /** The article as `origin.bodyField` has it now: it can have been stored under another setting. */
    look(single: Ref, position: number): { ref: Ref; normal: Article } {
      const { id, normal, raw } = store.objects.read("articles.single", single.digest);
      const object: unknown = JSON.parse(raw);
      const { path: bodyPath, state } = locateBody(object, config.origin.bodyField);
      counts[state]++;
      if (state === "missing" && position < (example?.position ?? Number.POSITIVE_INFINITY)) {
        example = { position, id, members: unknownMembers(object) };
      }
      if (isDeepStrictEqual(bodyPath, normal.bodyPath)) return { ref: single, normal };
      const renewed = { ...normal, bodyPath };
      const digest = store.objects.put("articles.single", id, renewed, raw);
      return { ref: { id, digest }, normal: renewed };
    },
    /**
     * Tells of missing bodies: a problem if no article has one, which is a matter of the setting, and a warning if some
     * have none. @returns a remark for the proof
     */
    report(): string | undefined {
      const { found, empty, missing } = counts;
      const articles = found + empty + missing;
      const hint = 'set origin.bodyField to the body\'s member, or its path such as "content.html"';
      if (example === undefined) {
        if (articles > 0 && empty === articles) {
          reporter.warn(`the bodies of all ${articles} articles are empty`, hint);
        }
        return undefined;
      }
      const { id, members } = example;
      const more = members.length > maxNamed ? ", …" : "";
      const unknown =
        members.length === 0
          ? "has only the documented members"
          : `has the members ${members.slice(0, maxNamed).join(", ")}${more}`;
      const remark =
        missing === articles
          ? "no article has a recognisable body"
          : `${missing} of ${articles} articles have no recognisable body`;
      const reason = `${remark}; article ${id} ${unknown}`;
      if (missing < articles) reporter.warn(reason, hint);
      else addProblem(context, { subject: "origin.bodyField", reason, hint });
      return remark;
    },
  };
}
