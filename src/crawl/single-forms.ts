import { locateBody } from "../store/body.ts";
import type { Ref } from "../store/snapshots.ts";
import { ask } from "./ask.ts";
import type { CrawlContext } from "./context.ts";
import { contractError } from "./failures.ts";
import { ingest, openAnswer } from "./ingest.ts";
import type { Item, ItemCrawl } from "./item-crawl.ts";

/** The single form of an item, its last known one where that fails; undefined where there is none. */
export async function fetchSingle(crawl: ItemCrawl, item: Item): Promise<Ref | undefined> {
  const { context, parent } = crawl;
  const { ref } = item;
  const subject = `${parent === "articles" ? "article" : "gallery"} ${ref.id}`;
  const task = `single ${parent} ${ref.id} ${ref.digest}`;
  const isStored = ({ digest }: Ref): boolean => context.store.objects.has(digest);
  const found = await crawl.attempt(
    () => context.draft.once(task, () => readWhole(crawl, item), isStored),
    (error) => crawl.fail(item, subject, error),
  );
  // The index knows of a change that the item does not show: the answer may be an old one.
  if (item.changed && found !== undefined && found.digest === item.single?.digest) {
    item.current = false;
  }
  return found ?? item.single;
}

/** The single form as it goes into the snapshot, and what it says. */
export function takeSingle({ context, parent, bodies }: ItemCrawl, single: Ref, position: number) {
  if (parent === "articles") return bodies.look(single, position);
  const normal = context.store.objects.readNormal("galleries.single", single.digest);
  return { ref: single, normal };
}

/**
 * The single form. If it has no body although the last one or others have, it is asked for again.
 *
 * @throws ApiError where the object is missing, malformed, or another one than was asked for; where its body is gone,
 * unless the last snapshot lacked it too
 */
async function readWhole(crawl: ItemCrawl, item: Item): Promise<Ref> {
  const { context, parent } = crawl;
  const { id } = item.ref;
  const url = context.routes.urlOf({ route: "single", index: parent, id }) as string;
  const isArticle = parent === "articles";
  const had = isArticle && item.single !== undefined && hasBody(context, item.single);
  const single = await ask<Ref>(context, {
    url,
    read({ source, text, value }) {
      const data = openAnswer(text)?.data;
      if (data === undefined) throw contractError(source, url, "data: expected an object");
      const object = (value as { data: unknown }).data;
      const one = ingest(context, `${parent}.single`, source, data, object);
      if ("reason" in one) throw contractError(source, url, one.reason);
      if (one.id !== id) throw contractError(source, url, `id: expected ${id}, got ${one.id}`);
      return { id, digest: one.digest };
    },
    objectionTo(one) {
      const isExpected = isArticle && (had || crawl.bodiesSeen);
      return isExpected && !hasBody(context, one) ? "it has no body" : undefined;
    },
  });
  const has = isArticle && hasBody(context, single);
  crawl.bodiesSeen ||= has;
  if (had && !has && !item.unsettled) {
    throw contractError(`article ${id}`, url, "it had a body and has none now");
  }
  return single;
}

function hasBody({ store, config }: CrawlContext, { digest }: Ref): boolean {
  const object: unknown = JSON.parse(store.objects.readRaw(digest));
  return locateBody(object, config.origin.bodyField).state === "found";
}
