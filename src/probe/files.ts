import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readItem, WireMedia } from "../api/schema.ts";
import { Origin } from "../config/origin.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { addressClass } from "../lib/addresses.ts";
import { isOriginHost } from "../lib/urls.ts";
import { locateMediaLink, membersOfItem } from "../store/media-link.ts";
import type { Finding, Survey } from "./survey.ts";

/** No larger file is downloaded to see whether the origin gives validators, in bytes. */
const mostBytes = 20 << 20;

/** Looks where the files are, in which member their addresses stand, and whether the origin gives validators. */
export async function lookAtFiles(survey: Survey): Promise<void> {
  const links = survey.files.map((file) => ({ ...file, link: linkOf(survey, file) }));
  const urls = links.flatMap(({ link }) => link.url ?? []);
  lookAtHosts(survey, urls);
  const others = links.filter(({ kind }) => kind !== "images");
  if (others.length > 0) {
    const nameless = others.find(({ link }) => link.state === "missing");
    survey.findings.push(linksFinding(survey, nameless?.object));
  }
  await lookForValidators(survey);
}

function linkOf({ origin, prober }: Survey, { kind, object }: Survey["files"][number]) {
  return locateMediaLink(kind, object, { ...origin, baseUrl: prober.baseUrl });
}

function lookAtHosts({ origin, prober, findings }: Survey, links: readonly string[]): void {
  const base = new URL(prober.baseUrl);
  const { allowHosts } = origin;
  const told = { subject: "hosts of files", asked: "the links of images and other files" };
  const urls = links.map((link) => new URL(link)).filter((url) => !isOriginHost(url, base, []));
  const named = urls.filter(({ host }) => Origin.shape.allowHosts.safeParse([host]).success);
  const hosts = new Set(named.filter((url) => !isInside(url, base)).map(({ host }) => host));
  const value = [...new Set([...allowHosts, ...hosts])];
  findings.push({
    ...told,
    came: `${links.length} links`,
    means: hosts.size === 0 ? "none at another host" : `also at ${[...hosts].join(", ")}`,
    certainty: links.length === 0 ? "unknown" : "sure",
    setting: { path: "origin.allowHosts", value },
  });
  const inside = new Set(named.map(({ host }) => host).filter((host) => !value.includes(host)));
  if (inside.size === 0) return;
  const line = `"allowHosts": ${JSON.stringify([...value, ...inside])}`;
  const means = `inside of a network, where no link may lead: if the service keeps its files there, write ${line} in "origin"`;
  const came = [...inside].join(", ");
  findings.push({ ...told, came, means, certainty: "unknown", isLoud: true });
}

/** Names of machines in the same network: RFC 6761, 6762 and 8375, the "internal" of ICANN, and what has no dot. */
const namesInside = /^[^.]+$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Whether a link leads inside of a network: to an address there, or to a name where the API has none itself. */
function isInside({ hostname }: URL, base?: URL): boolean {
  if (/^\[|^[\d.]+$/.test(hostname)) return addressClass(hostname) !== undefined;
  return namesInside.test(hostname) && (base === undefined || !isInside(base));
}

/** @param nameless a file in which no address was found */
function linksFinding({ origin }: Survey, nameless: unknown): Finding {
  const told = { subject: "links of files", asked: "videos, documents and audio files" };
  const path = "origin.mediaLink" as const;
  if (nameless === undefined) {
    const setting = { path, value: origin.mediaLink };
    const means = "found by their names";
    return { ...told, came: "an address in each", means, certainty: "sure", setting };
  }
  const came = membersOfItem(nameless).join(", ");
  const means = `no address found: name the member in ${path}, or null if there is none`;
  return { ...told, came, means, certainty: "missing", setting: { path, value: undefined } };
}

/** Downloads the smallest image twice, the second time under the condition that it has changed. */
async function lookForValidators(survey: Survey): Promise<void> {
  const { prober, files, findings } = survey;
  const images = files.filter(({ kind }) => kind === "images");
  const sizeOf = ({ object }: { object: unknown }) =>
    readItem(WireMedia, object).data?.filesize || Number.POSITIVE_INFINITY;
  const smallest = images.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
  const url = smallest && linkOf(survey, smallest).url;
  // One of them is refused where files need the token.
  if (!url || !prober.affords(3)) return;
  // Of a host that was found just now, `doctor` tells.
  if (!isOriginHost(new URL(url), new URL(prober.baseUrl), survey.origin.allowHosts)) return;
  const folder = mkdtempSync(join(tmpdir(), "stillpress-init-"));
  const told = { subject: "validators", asked: "GET of an original, twice" };
  try {
    const path = join(folder, "original");
    const { id } = smallest.object as { id?: unknown };
    const options = { id: String(id), maxBytes: mostBytes };
    const validators = (await prober.client.download(url, path, options))?.validators;
    const again =
      validators && (await prober.client.download(url, path, { ...options, validators }));
    const means =
      validators === undefined
        ? "a file that is replaced under an unchanged record is not noticed"
        : again === undefined
          ? "replaced files are noticed cheaply"
          : "the origin ignores conditions and sends unchanged files again";
    const came = Object.keys(validators ?? {}).join(", ") || "no ETag or Last-Modified";
    findings.push({ ...told, came, means, certainty: "sure" });
  } catch (error) {
    if (!(error instanceof ApiError) || error.exitCode === exitCodes.budget) throw error;
    const { message: came } = error;
    findings.push({ ...told, came, means: error.hint ?? "no answer", certainty: "unknown" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
