import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { ApiClient } from "../api/client.ts";
import { loadConfig } from "../config/load.ts";
import { type Config, recheckOf } from "../config.ts";
import { recheckShare } from "../crawl/plan.ts";
import { ApiError, type ExitCode, exitCodes } from "../errors.ts";
import { mostFiles } from "../hosts/cloudflare.ts";
import { grouped } from "../hosts/limits.ts";
import { withoutProof } from "../lib/words.ts";
import { wantedItems } from "../media/jobs.ts";
import { calibrate } from "../plan/calibrate.ts";
import {
  type Forecast,
  forecastOf,
  type Held,
  requestsOfLine,
  secondsWithin,
  sum,
} from "../plan/forecast.ts";
import { type Survey, sampleOrigin } from "../plan/sample.ts";
import { createProber } from "../probe/prober.ts";
import { outputPaths } from "../publish/swap.ts";
import { bytesText } from "../site/formats.ts";
import { withStore } from "../store/store.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";
import { withProber } from "./prober.ts";

/** Requests that `plan` makes at most, without the pictures that it downloads. */
const mostRequests = 117;
/** To start, and to render and link a file of the archive, on average. */
const [secondsToStart, secondsPerFile] = [3, 0.0004];
/** Above these, the forecast says how to stop and go on. */
const long = { seconds: 3_600, bytes: 10e9 };
const howToStop =
  "stop it at any time with Ctrl-C, and run the same command again: it goes on where it stopped";

/** `stillpress plan`: what a snapshot will cost, from a few pages. */
export async function runPlan(options: CommonOptions): Promise<ExitCode> {
  const { config, out } = loadConfig({ file: options.config, flags: { out: options.out } });
  const { store } = outputPaths(out);
  const questions = { config, options, store, stage: "reading a few pages", most: mostRequests };
  const { survey, forecast, each } = await withProber(questions, async (prober) => {
    const survey = await sampleOrigin(prober, config);
    const forecast = forecastOf(survey, config, await heldIn(store, config));
    const isAny = forecast.images > 0;
    const each = isAny ? await calibrate(prober, survey.links, config.media) : undefined;
    return { survey, forecast, each };
  });
  const costs = costsOf(forecast, survey, config, each);
  const exitCode = exitCodes.complete;
  const { requests, files } = forecast;
  if (options.json) printJson({ exitCode, ...costs, parts: { requests, files } });
  else {
    const hosts = config.media.originals ? loud(survey.elsewhere) : [];
    print([...hosts, ...unproved(survey, config), ...tableOf(forecast, costs, config)]);
  }
  return exitCode;
}

/** What a first snapshot will cost, in lines; none where the origin does not answer, which the crawl tells. */
export async function forecastLines(client: ApiClient, config: Config): Promise<string[]> {
  const prober = createProber(client, config.origin.baseUrl, requestsOfLine);
  try {
    const survey = await sampleOrigin(prober, config);
    const forecast = forecastOf(survey, config, { counts: {}, files: {}, share: 0 });
    const costs = costsOf(forecast, survey, config);
    const { requests, files } = costs;
    const line = `forecast: ${grouped(requests)} requests, ${timeOf(costs)}, ${downloadOf(costs)}, ${grouped(files)} files`;
    return [...unproved(survey, config), line, ...(isLong(costs) ? [howToStop] : [])];
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Says first how many pictures an origin without an index of images costs. */
function unproved({ unlistedImages }: Survey, { media }: Config): string[] {
  const count = Math.round(unlistedImages);
  if (count === 0 || media.unproved === "publish") return [];
  return loud([withoutProof(`about ${grouped(count)} attached pictures`)]);
}

function loud(told: readonly { text: string; hint: string }[]): string[] {
  return told.flatMap(({ text, hint }) => [`! ${text}`, `  ${hint}`]);
}

/** What the last snapshot has, which need not be asked for again. */
async function heldIn(folder: string, config: Config): Promise<Held> {
  const { crawl } = config;
  if (!existsSync(folder)) return { counts: {}, files: {}, share: 1 };
  return await withStore(folder, { readOnly: true }, async (store) => {
    const latest = store.snapshots.latest();
    const lists = Object.entries(latest?.lists ?? {});
    const counts = Object.fromEntries(lists.map(([name, list]) => [name, list.count]));
    const files: Record<string, number> = {};
    for (const { kind, id, list } of latest ? wantedItems(store.reader(latest), config) : []) {
      const name = list === kind ? kind : "attached";
      const isKnown = store.media.get(kind, id) ?? store.media.absence(kind, id);
      if (isKnown !== undefined) files[name] = (files[name] ?? 0) + 1;
    }
    const { articles = 0, galleries = 0, attachments = 0, images = 0 } = counts;
    const items = articles + galleries;
    const each = 1 + attachments / Math.max(items, 1);
    const load = { items, each, files: images, perSecond: Number.POSITIVE_INFINITY };
    const share = crawl.refresh === "all" ? 1 : recheckShare(recheckOf(crawl), load);
    return { counts, files, share };
  });
}

type Costs = ReturnType<typeof costsOf>;
type Calibration = Awaited<ReturnType<typeof calibrate>>;

function costsOf(forecast: Forecast, survey: Survey, config: Config, each?: Calibration) {
  const requests = Math.round(sum(Object.values(forecast.requests)));
  const files = Math.round(sum(Object.values(forecast.files)));
  const pixels = forecast.images * survey.image.pixels;
  const encoding = (pixels * (each?.seconds ?? 0)) / availableParallelism();
  const downloads = forecast.requests.files;
  const asking = secondsFor(requests, survey, config);
  // Renditions are made while the next files come.
  const waiting = Math.max(0, encoding - asking * (downloads / Math.max(requests, 1)));
  const seconds = Math.ceil(secondsToStart + asking + waiting + files * secondsPerFile);
  return {
    requests,
    seconds,
    bytes: Math.round(forecast.bytes),
    files,
    /** Seconds of the renditions on all cores, and bytes of the store and the archive together. */
    encoding: Math.round(encoding),
    disk: Math.round(forecast.bytes + pixels * (each?.bytes ?? 0) + files * 4_000),
    until: new Date(Date.now() + seconds * 1000).toISOString(),
  };
}

/** Seconds that some requests take, by the rate or by how fast the origin answers. */
function secondsFor(
  requests: number,
  { stated, answerMs }: Survey,
  { origin, crawl }: Config,
): number {
  const unlimited = (requests * answerMs) / 1000 / Math.min(crawl.concurrency, 4);
  const window =
    origin.rate === "auto"
      ? (stated ?? { requests: 60, perMs: 60_000 })
      : { requests: origin.rate.requests, perMs: origin.rate.perSeconds * 1000 };
  if (window === "counted") return unlimited;
  return Math.max(unlimited, secondsWithin(requests, window));
}

function tableOf(forecast: Forecast, costs: Costs, config: Config): string[] {
  const renditions = grouped(Math.round(forecast.images * forecast.renditions));
  const rows: [string, string][] = [
    ["requests", grouped(costs.requests)],
    ...partsOf(forecast.requests),
    ["time", timeOf(costs)],
    ["originals", downloadOf(costs)],
    ["renditions to make", `${renditions}, ${duration(costs.encoding)} of this machine`],
    ["files", grouped(costs.files)],
    ...partsOf(forecast.files),
    ["disk", `about ${bytesText(costs.disk)}`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(28)} ${text}`);
  const notes = [];
  if (config.hosts.includes("cloudflare") && costs.files > mostFiles.free) {
    const paid = "a paid plan of Cloudflare is needed";
    const needed = costs.files > mostFiles.paid ? "more than Cloudflare takes" : paid;
    notes.push(`${grouped(costs.files)} files: ${needed}`);
  }
  if (isLong(costs)) notes.push(`The first snapshot is long: ${howToStop}.`);
  return [...lines, "", ...notes, "Next: npx stillpress snapshot"];
}

function partsOf(parts: Record<string, number>): [string, string][] {
  return Object.entries(parts).map(([name, count]) => [`  ${name}`, grouped(Math.round(count))]);
}

function isLong({ seconds, bytes }: Costs): boolean {
  return seconds > long.seconds || bytes > long.bytes;
}

/** "2 h 10 min, until 2026-11-24 02:31" */
function timeOf({ seconds, until }: Costs): string {
  return `${duration(seconds)}, until ${new Date(until).toLocaleString("sv").slice(0, -3)}`;
}

function downloadOf(costs: Costs): string {
  return costs.bytes > 0 ? `${bytesText(costs.bytes)} to download` : "a download of unknown size";
}

/** 4210 → "1 h 10 min" */
function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
