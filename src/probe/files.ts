import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WireMedia } from "../api/schema.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { addressClass } from "../lib/addresses.ts";
import { isOriginHost } from "../lib/origin-hosts.ts";
import { locateMediaLink, membersOfItem } from "../store/media-link.ts";
import type { Finding } from "./finding.ts";
import type { Survey } from "./survey.ts";

/** No larger file is downloaded to see whether the origin gives validators, in bytes. */
const mostBytes = 20 << 20;

/** Looks where the files are, in which member their addresses stand, and whether the origin gives validators. */
export async function lookAtFiles(survey: Survey): Promise<void> {
  const links = survey.files.map((file) => ({ ...file, link: linkOf(survey, file) }));
  lookAtHosts(
    survey,
    links.flatMap(({ link }) => link.url ?? []),
  );
  const others = links.filter(({ kind }) => kind !== "images");
  const nameless = others.find(({ link }) => link.state === "missing");
  const [first] = others;
  if (nameless !== undefined || first !== undefined) {
    survey.findings.push(
      nameless === undefined ? foundLinks(survey) : missingLink(nameless.object),
    );
  }
  await lookForValidators(survey);
}

function linkOf({ origin, prober }: Survey, { kind, object }: Survey["files"][number]) {
  return locateMediaLink(kind, object, { ...origin, baseUrl: prober.baseUrl });
}

function lookAtHosts({ origin, prober, findings }: Survey, links: readonly string[]): void {
  const base = new URL(prober.baseUrl);
  const { allowHosts } = origin;
  const foreign = links.map((link) => new URL(link)).filter((url) => !isOriginHost(url, base, []));
  // An address inside of the network is no host of files, but somebody's mistake or attack.
  const hosts = new Set(
    foreign.filter(({ hostname }) => addressClass(hostname) === undefined).map(({ host }) => host),
  );
  const value = [...new Set([...allowHosts, ...hosts])];
  findings.push({
    subject: "hosts of files",
    asked: "the links of images and other files",
    came: `${links.length} links`,
    means: hosts.size === 0 ? "all at the API's host" : `also at ${[...hosts].join(", ")}`,
    certainty: links.length === 0 ? "unknown" : "sure",
    setting: { path: "origin.allowHosts", value },
  });
}

function foundLinks({ origin }: Survey): Finding {
  return {
    subject: "links of files",
    asked: "videos, documents and audio files",
    came: "an address in each",
    means: "found by their names",
    certainty: "sure",
    setting: { path: "origin.mediaLink", value: origin.mediaLink },
  };
}

function missingLink(object: unknown): Finding {
  const members = membersOfItem(object).join(", ");
  return {
    subject: "links of files",
    asked: "videos, documents and audio files",
    came: members,
    means: "no address found: name the member in origin.mediaLink, or null if there is none",
    certainty: "missing",
    setting: { path: "origin.mediaLink", value: undefined },
  };
}

/** Downloads the smallest image twice, the second time under the condition that it has changed. */
async function lookForValidators(survey: Survey): Promise<void> {
  const { prober, files, findings } = survey;
  const images = files.filter(({ kind }) => kind === "images");
  const sizeOf = ({ object }: { object: unknown }) =>
    WireMedia.safeParse(object).data?.filesize || Number.POSITIVE_INFINITY;
  const smallest = images.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
  const url = smallest && linkOf(survey, smallest).url;
  if (!url || !prober.affords(2)) return;
  const folder = mkdtempSync(join(tmpdir(), "stillpress-init-"));
  const told = { subject: "validators", asked: "GET of an original, twice" };
  try {
    const path = join(folder, "original");
    const options = { maxBytes: mostBytes };
    const { validators } = await prober.client.download(url, path, options);
    const again =
      validators && (await prober.client.download(url, path, { ...options, validators }));
    const means =
      validators === undefined
        ? "a file that is replaced under an unchanged record is not noticed"
        : again === undefined
          ? "replaced files are noticed cheaply"
          : "the origin ignores conditions and sends unchanged files again";
    const came =
      validators === undefined ? "no ETag or Last-Modified" : Object.keys(validators).join(", ");
    findings.push({ ...told, came, means, certainty: "sure" });
  } catch (error) {
    if (!(error instanceof ApiError) || error.exitCode === exitCodes.budget) throw error;
    const { message: came } = error;
    findings.push({ ...told, came, means: error.hint ?? "no answer", certainty: "unknown" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
