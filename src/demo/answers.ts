import type { IncomingMessage } from "node:http";
import { sha256 } from "../lib/digest.ts";
import { percentDecoded } from "../lib/urls.ts";
import type { OriginOptions } from "./options.ts";

export interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

export function errorAnswer({ errors }: OriginOptions, status: number, message: string): Answer {
  if (errors === "text") return { status, type: "text/plain; charset=utf-8", body: `${message}\n` };
  if (errors === "html") {
    const page = `<!doctype html>\n<title>${status}</title>\n<h1>${message}</h1>\n`;
    return { status, type: "text/html; charset=utf-8", body: page };
  }
  return { status, type: "application/json", body: JSON.stringify({ message }) };
}

/** The answer with an ETag of its content without signatures, or 304 if the client has it already. */
export function withEtag(answer: Answer, request: IncomingMessage): Answer {
  const { body } = answer;
  const text = typeof body === "string";
  const steady = text ? body.replace(/(?:expires|signature)=[^"&\\]+/g, "") : body;
  const etag = `${text ? "W/" : ""}"${sha256(steady).slice(0, 32)}"`;
  const headers = { ...answer.headers, ETag: etag };
  const same = (request.headers["if-none-match"] ?? "").split(/\s*,\s*/).includes(etag);
  return same ? { status: 304, type: "", body: "", headers } : { ...answer, headers };
}

/** Finds the first template that a path fits, with its decoded `{id}`. */
export function matcher<T>(endpoints: readonly (readonly [template: string, value: T])[]) {
  const compiled = endpoints.map(([template, value]) => {
    const escaped = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    return { pattern: new RegExp(`^${escaped.replace("{id}", "([^/]+)")}/?$`), value };
  });
  return (path: string) => {
    for (const { pattern, value } of compiled) {
      const match = pattern.exec(path);
      if (match) return { value, id: percentDecoded(match[1] ?? "") };
    }
    return undefined;
  };
}
