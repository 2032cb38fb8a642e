import { createClient } from "../../../src/api/client.ts";
import { createLinkBook } from "../../../src/api/links.ts";
import { ConfigSchema } from "../../../src/config.ts";
import { runCrawl } from "../../../src/crawl/crawl.ts";
import type { Content } from "../../../src/demo/model.ts";
import { runMedia } from "../../../src/media/media.ts";
import { createRoutes } from "../../../src/routes/table.ts";
import { openStore } from "../../../src/store/store.ts";
import { type LoggedRequest, startOrigin } from "../../support/origin.ts";
import { createVirtualClock, type VirtualClock } from "./clock.ts";

/** How time goes at both ends. */
export interface Ageing {
  /** Seconds that a signed link lives. */
  linkSeconds: number;
  /** Milliseconds by which the origin's clock is ahead of ours; negative where it is behind. */
  skewMs: number;
  /** Whether the origin says in its answers what time it has. */
  dates: boolean;
  /** One request in so many seconds. */
  secondsEach: number;
  /** Called before each request; may turn the clock. */
  before?: (clock: VirtualClock) => void;
}

/** What a crawl and the download of its files came to. */
export interface Aged {
  hours: number;
  complete: boolean;
  /** Items of the snapshot that have a file, and those whose file is in the store. */
  wanted: number;
  stored: number;
  problems: string[];
  crawlRequests: LoggedRequest[];
  mediaRequests: LoggedRequest[];
}

/** Crawls an origin and downloads its files on a clock that costs no time; the requests are real ones. */
export async function pressOverTime(
  content: Content,
  folder: string,
  { linkSeconds, skewMs, dates, secondsEach, before = () => {} }: Ageing,
): Promise<Aged> {
  const clock = createVirtualClock(Date.UTC(2025, 2, 29, 22));
  // Nobody turns the origin's clock when ours is turned.
  const originNow = (): Date => new Date(clock.startedAt + clock.elapsedMs + skewMs);
  const origin = await startOrigin({
    content,
    linkSeconds,
    now: originNow,
    intercept(_, response) {
      before(clock);
      if (dates) response.setHeader("Date", originNow().toUTCString());
      else response.sendDate = false;
      return false;
    },
  });
  const config = ConfigSchema.parse({
    origin: {
      baseUrl: origin.baseUrl,
      rate: { requests: 1, perSeconds: secondsEach },
    },
    media: { formats: ["jpeg"], variants: [] },
  });
  const store = openStore(folder);
  const client = createClient({ config, token: origin.tokens.organisation, clock });
  try {
    const routes = createRoutes(config);
    const links = createLinkBook(client.originClock.serverNow);
    const shared = { config, store, client, routes, links, now: () => new Date(clock.now()) };
    const { manifest, problems } = await clock.during(runCrawl(shared));
    const crawlRequests = origin.requests.splice(0);
    const media = await clock.during(runMedia({ ...shared, manifest }));
    const reader = store.reader(manifest);
    let stored = 0;
    for (const list of ["images", "images.private"] as const) {
      for (const { id } of reader.refs(list)) {
        const original = store.media.get("images", id)?.original;
        if (original && (await store.blobs.has(original.blob, original.bytes))) stored++;
      }
    }
    return {
      hours: clock.elapsedMs / 3_600_000,
      complete: manifest.complete,
      wanted: media.wanted,
      stored,
      problems: [...problems, ...media.problems].map(
        ({ subject, reason }) => `${subject}: ${reason}`,
      ),
      crawlRequests,
      mediaRequests: [...origin.requests],
    };
  } finally {
    await client.close();
    store.close();
    await origin.close();
    clock.close();
  }
}
