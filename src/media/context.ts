import type { ApiClient } from "../api/client.ts";
import { defaultLimits, raisedAfter } from "../api/limits.ts";
import type { LinkBook } from "../api/links.ts";
import { createPatience, createTokenCheck, lookFor } from "../api/patience.ts";
import type { Config } from "../config.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import type { Turn } from "../lib/turns.ts";
import type { Routes } from "../routes/table.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { recipesOf } from "./jobs.ts";
import { createRechecks } from "./recheck.ts";
import { createLocalRenderer, type Renderer } from "./renderer.ts";

export interface MediaOptions {
  store: Store;
  manifest: SnapshotManifest;
  client: ApiClient;
  config: Config;
  routes: Routes;
  /** Signed links that the crawl has seen. For a missing one, its list is read again. */
  links: LinkBook;
  /** The snapshot that other originals begin with: the manifest's, or what comes after it (`afterSnapshot`). */
  since?: string;
  /** Which unchanged items the crawl has read again: originals are asked for again with them. */
  turn?: Turn;
  /** Makes the renditions; without one, they are made here. */
  renderer?: Renderer | undefined;
  /** Versions of its encoder, where they are not this machine's. */
  encoder?: string | undefined;
  reporter?: Reporter;
  /** After this, no new item is begun; those underway have `drainMs` to end. */
  signal?: AbortSignal;
  /** Milliseconds that work on pictures may go on after the signal. The default is that of the client's transfers. */
  drainMs?: number;
}

export const nothingDone = {
  /** Items whose file and renditions were already what they should be. */
  upToDate: 0,
  /** Items of which the origin was asked for another file than the one in the store. */
  rechecked: 0,
  /** Items whose file was asked for, whatever came. */
  checked: 0,
  downloaded: 0,
  /** Originals whose renditions were made. */
  encoded: 0,
  /** Of the downloads. */
  bytes: 0,
  /** Items without a link, or all where `media.originals` is off. */
  skipped: 0,
};

/** What every part of a run works with. */
export type MediaContext = ReturnType<typeof contextOf>;

/** Makes the context of a run, to be ended by `closeRenderer`. */
export function contextOf(options: MediaOptions) {
  const { store, manifest, client, config, routes, links, signal } = options;
  const { reporter = silent, since = manifest.id, turn = { from: 0, to: 0 } } = options;
  const { drainMs = defaultLimits.drainMs } = options;
  const { patience: seconds } = config.crawl;
  const renderer =
    options.renderer ??
    // Before the requests, so that the run has ended when their time is over.
    createLocalRenderer(config, store.blobs, signal && raisedAfter(signal, drainMs * 0.8));
  const look = lookFor({ client, routes });
  return {
    ...{ store, client, config, routes, links, signal, reporter, since },
    reader: store.reader(manifest),
    tally: { ...nothingDone },
    /** Requests for web versions that have failed since the last one that did not. */
    webFailures: { inRow: 0 },
    recipesFor: recipesOf(config.media, options.encoder),
    rechecks: createRechecks(config.crawl, turn, links),
    renderer,
    /** Who has given one closes it. */
    closeRenderer: options.renderer ? async () => {} : renderer.close,
    /** As many as can be encoded, and the downloads of the next ones meanwhile. */
    itemsAtOnce: renderer.atOnce + config.crawl.concurrency,
    // A snapshot is there.
    patience: createPatience({ seconds, isKnown: true, look, reporter, signal }),
    checkToken: createTokenCheck(look),
  };
}
