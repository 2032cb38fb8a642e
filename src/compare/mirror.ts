import { printable } from "../lib/secrets.ts";
import type { MirrorDescription } from "../routes/description.ts";
import { readDescription } from "./description.ts";
import { createServerClient, type Server } from "./fetch.ts";
import type { Finding } from "./judge.ts";
import { type MirrorUrls, mirrorUrls, withoutEntities } from "./references.ts";

/** A mirror that is compared. */
export interface Mirror extends Server {
  /** Without a slash at the end. */
  baseUrl: string;
  /** What it says of itself; undefined before `learn`, and where it says nothing. */
  description: MirrorDescription | undefined;
  learn(): Promise<void>;
  /** How it writes its own URLs in an answer that came from a URL. */
  urls(answeredBy: string): MirrorUrls;
  /** The address at which the mirror is asked for what a link names; undefined where it leads elsewhere. */
  targetOf(link: string, from: string): string | undefined;
  /** What is wrong with where a link in an answer leads. */
  follow(link: string, from: string): Promise<Finding[]>;
}

export function createMirror(options: {
  baseUrl: string;
  token?: string | undefined;
  signal?: AbortSignal | undefined;
}): Mirror {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const home = new URL(baseUrl).origin;
  const server = createServerClient(baseUrl, options);
  const mirror: Mirror = {
    ...server,
    baseUrl,
    description: undefined,
    async learn() {
      mirror.description = await readDescription(server, baseUrl);
    },
    urls(answeredBy) {
      const origin = answeredBy === "" ? home : new URL(answeredBy).origin;
      return mirrorUrls([...new Set([home, origin, mirror.description?.url ?? home])]);
    },
    targetOf(link, from) {
      const decoded = withoutEntities(link);
      if (!URL.canParse(decoded, from)) return undefined;
      const url = new URL(decoded, from);
      url.hash = "";
      // Links may lead to where the mirror will be published.
      const address = mirror.description?.url?.replace(/\/+$/, "");
      if (address !== undefined && `${url.href}/`.startsWith(`${address}/`)) {
        const suffix = `/${mirror.description?.rules.root}`;
        const top = baseUrl.endsWith(suffix) ? baseUrl.slice(0, -suffix.length) : home;
        return top + url.href.slice(address.length);
      }
      return url.origin === home || url.origin === new URL(from).origin ? url.href : undefined;
    },
    async follow(link, from) {
      const target = mirror.targetOf(link, from);
      if (target === undefined) return [];
      const answer = await server.ask(target, { discard: true });
      if ("status" in answer && answer.status === 200) return [];
      const reason = "failed" in answer ? answer.failed : String(answer.status);
      const text = `"${printable(link)}" in the answer of ${printable(from)}: ${reason}`;
      return [{ kind: "link", text }];
    },
  };
  return mirror;
}
