import type { JsonRequest } from "../routes/table.ts";
import { type Finding, judge } from "./judge.ts";
import type { Mirror } from "./mirror.ts";
import type { OriginReader } from "./origin.ts";
import type { OriginHosts } from "./references.ts";

/** What a link of an answer must lead to. */
export interface Lead {
  /** Where in the answer it stands. */
  path: string;
  /** As the mirror writes it. */
  link: string;
  /** The origin's answer that it stands for. */
  to: { json: JsonRequest } | { picture: string } | { original: string };
}

/**
 * The links of an answer whose meaning is documented: to the page before and behind, and to the files of images.
 *
 * @param request that the origin and the mirror answered
 */
export function leadsOf(request: JsonRequest, answer: unknown): Lead[] {
  const { data, links } = objectOf(answer);
  const leads: Lead[] = [];
  if ("page" in request) {
    const { next, prev } = objectOf(links);
    const page = (path: string, link: unknown, number: number): void => {
      if (typeof link !== "string") return;
      leads.push({ path, link, to: { json: { ...request, page: number } } });
    };
    page("links.next", next, request.page + 1);
    page("links.prev", prev, request.page - 1);
  }
  const ofImages =
    (request.route === "attachments" && request.kind === "images") ||
    ((request.route === "index" || request.route === "single") && request.index === "images");
  if (!ofImages) return leads;
  const images = Array.isArray(data) ? data : [data];
  for (const [at, image] of images.entries()) {
    const { id, links: files } = objectOf(image);
    const { web, download } = objectOf(files);
    const path = Array.isArray(data) ? `data[${at}].links` : "data.links";
    if (typeof id !== "string") continue;
    if (typeof web === "string")
      leads.push({ path: `${path}.web`, link: web, to: { picture: id } });
    if (typeof download === "string") {
      leads.push({ path: `${path}.download`, link: download, to: { original: id } });
    }
  }
  return leads;
}

/** Share of the answers of which a link to a file is followed. */
const followedShare = 0.25;

/**
 * The leads of one answer that are followed, as a number from 0 to 1 says: always one to another page, where there
 * is one, because pages are few and a client depends on them; now and then one to a file.
 */
export function pickLeads(leads: readonly Lead[], number: number): Lead[] {
  const toPages = leads.filter(({ to }) => "json" in to);
  const toFiles = leads.filter(({ to }) => !("json" in to));
  const at = (list: readonly Lead[], share: number): Lead[] => {
    const lead = list[Math.floor(share * list.length)];
    return lead === undefined ? [] : [lead];
  };
  return [
    ...at(toPages, number),
    ...(number < followedShare ? at(toFiles, number / followedShare) : []),
  ];
}

/** What is wrong with where a link of an answer leads; nothing where the origin has no answer to compare with. */
export async function followLead(
  { path, link, to }: Lead,
  from: string,
  { reader, hosts }: { reader: OriginReader; hosts: OriginHosts },
  mirror: Mirror,
): Promise<Finding[]> {
  const answer =
    "json" in to
      ? await reader.json(to.json)
      : "picture" in to
        ? await reader.picture(to.picture, "")
        : await reader.original(to.original);
  if (answer.form === "none" || answer.form === "status") return [];
  const target = mirror.targetOf(link, from) ?? link;
  const reply = await mirror.ask(target, { keep: answer.form !== "file" });
  const urls = mirror.urls("url" in reply ? reply.url : "");
  const { findings } = await judge(answer, reply, hosts, urls);
  return findings.map((finding) => ({
    ...finding,
    kind: "link",
    text: `${path} leads elsewhere: ${finding.text}`,
  }));
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
