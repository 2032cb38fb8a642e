import { isObject } from "../lib/objects.ts";
import type { ApiRequest } from "../routes/table.ts";
import { type Finding, judge } from "./judge.ts";
import type { Mirror } from "./mirror.ts";
import type { OriginReader } from "./origin.ts";
import type { OriginHosts } from "./references.ts";

/** What a link of an answer must lead to. */
export interface Lead {
  /** Where it stands in the answer. */
  path: string;
  link: string;
  to: ApiRequest;
}

/** The links of an answer whose meaning is documented: to the pages beside it, and to the files of images. */
export function leadsOf(request: ApiRequest, answer: unknown): Lead[] {
  const { data, links } = objectOf(answer);
  const leads: Lead[] = [];
  const add = (path: string, link: unknown, to: Lead["to"]): void => {
    if (typeof link === "string") leads.push({ path, link, to });
  };
  if ("page" in request) {
    const { next, prev } = objectOf(links);
    add("links.next", next, { ...request, page: request.page + 1 });
    add("links.prev", prev, { ...request, page: request.page - 1 });
  }
  const named = "kind" in request ? request.kind : "index" in request && request.index;
  if (named !== "images") return leads;
  for (const [at, image] of [data].flat().entries()) {
    const { id, links: files } = objectOf(image);
    if (typeof id !== "string") continue;
    const { web, download } = objectOf(files);
    const path = Array.isArray(data) ? `data[${at}].links` : "data.links";
    add(`${path}.web`, web, { route: "binary", id, scaling: {} });
    add(`${path}.download`, download, { route: "download", id });
  }
  return leads;
}

/** Share of the answers of which a link to a file is followed. */
const followedShare = 0.25;

/** The leads that are followed, chosen by a number from 0 to 1: one to a page if there is one, at times one to a file. */
export function pickLeads(leads: readonly Lead[], number: number): Lead[] {
  const toPages = leads.filter(({ to }) => "page" in to);
  const toFiles = leads.filter(({ to }) => !("page" in to));
  const page = toPages[Math.floor(number * toPages.length)];
  const file = toFiles[Math.floor((number / followedShare) * toFiles.length)];
  return [page, file].filter((lead) => lead !== undefined);
}

/** What is wrong with where a link leads; nothing where the origin gives no answer to compare with. */
export async function followLead(
  { path, link, to }: Lead,
  from: string,
  { reader, hosts }: { reader: OriginReader; hosts: OriginHosts },
  mirror: Mirror,
): Promise<Finding[]> {
  const answer = await reader.answerTo(to);
  if (answer.form === "none" || answer.form === "status") return [];
  const target = mirror.targetOf(link, from) ?? link;
  const reply = await mirror.ask(target, { keep: answer.form !== "file" });
  const { findings } = await judge(answer, reply, hosts, mirror.urls(reply));
  const elsewhere = `${path} leads elsewhere`;
  return findings.map((one) => ({ ...one, kind: "link", text: `${elsewhere}: ${one.text}` }));
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
