import { readFileSync } from "node:fs";

const script = readFileSync(new URL("../../templates/preview/reload.js", import.meta.url), "utf8");
/** Addresses that only a preview answers. No file of an archive lies there. */
const reloadScript = "/_preview/reload.js";
const changes = "/_preview/changes";

/** Pages that are told of changes: many more than somebody looks at. */
const mostOpen = 64;

const scriptTag = (version: string): string =>
  `<script src="${reloadScript}" data-changes="${changes}" data-version="${version}" defer></script>\n`;

/** The text of a page that reloads itself when another version is there. */
export function withReload(html: string, version: string): string {
  const end = html.indexOf("</head>");
  if (end === -1) return html + scriptTag(version);
  return html.slice(0, end) + scriptTag(version) + html.slice(end);
}

/** The pages that stand open in browsers, each with a connection on which it is told that there is a new version. */
export class OpenPages {
  readonly #open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  #version = "";

  get count(): number {
    return this.#open.size;
  }

  /** Reloads all pages that show another version. */
  show(version: string): void {
    if (version === this.#version) return;
    this.#version = version;
    for (const page of this.#open) page.enqueue(message(version));
  }

  /** The answer to a request that a page makes for its reloading; undefined for all others. */
  answer(request: Request): Response | undefined {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === reloadScript) return response("text/javascript; charset=utf-8", script);
    if (pathname !== changes) return undefined;
    if (this.#open.size >= mostOpen) return new Response(null, { status: 503 });
    return response("text/event-stream", this.#connect(searchParams.get("shown")));
  }

  #connect(shown: string | null): ReadableStream<Uint8Array> {
    let page: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream({
      start: (controller) => {
        page = controller;
        this.#open.add(page);
        // After a restart of the server, milliseconds.
        page.enqueue(encoded("retry: 1000\n\n"));
        // It may have changed while the page was loaded, or hidden.
        if (shown !== this.#version) page.enqueue(message(this.#version));
      },
      cancel: () => {
        this.#open.delete(page);
      },
    });
  }
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);
const message = (version: string): Uint8Array => encoded(`data: ${version}\n\n`);

function response(type: string, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { "Content-Type": type, "Cache-Control": "no-store" } });
}
