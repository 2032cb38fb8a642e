import { printable } from "../lib/secrets.ts";
import type { MirrorDescription } from "../routes/description.ts";
import type { Server, ServerAnswer } from "./fetch.ts";
import type { Finding } from "./judge.ts";
import { mirrorUrls, withoutEntities } from "./references.ts";

export type Mirror = ReturnType<typeof createMirror>;

/** The description is what the mirror says of itself. */
export function createMirror(baseUrl: string, server: Server, description?: MirrorDescription) {
  const home = new URL(baseUrl).origin;

  /** Where to ask the mirror for what a link names; undefined where it leads elsewhere. */
  function targetOf(link: string, from: string): string | undefined {
    const decoded = withoutEntities(link);
    if (!URL.canParse(decoded, from)) return undefined;
    const url = new URL(decoded, from);
    url.hash = "";
    // Links may lead to where the mirror will be published.
    const address = description?.url?.replace(/\/+$/, "");
    if (address !== undefined && `${url.href}/`.startsWith(`${address}/`)) {
      const suffix = `/${description?.rules.root}`;
      const top = baseUrl.endsWith(suffix) ? baseUrl.slice(0, -suffix.length) : home;
      return top + url.href.slice(address.length);
    }
    return url.origin === home || url.origin === new URL(from).origin ? url.href : undefined;
  }

  return {
    ask: server.ask,
    baseUrl,
    targetOf,
    /** The pattern of its own URLs in an answer. */
    urls: ({ url }: ServerAnswer): string =>
      mirrorUrls([...new Set([home, new URL(url).origin, description?.url ?? home])]),
    /** What is wrong with where a link in an answer leads. */
    async follow(link: string, from: string): Promise<Finding[]> {
      const target = targetOf(link, from);
      if (target === undefined) return [];
      const { status, failed } = await server.ask(target, { discard: true });
      if (status === 200) return [];
      const text = `"${printable(link)}" in the answer of ${printable(from)}: ${failed ?? status}`;
      return [{ kind: "link", text }];
    },
  };
}
