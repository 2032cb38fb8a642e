import { STATUS_CODES } from "node:http";
import type { OriginOptions } from "./options.ts";

/** The answer to a request that failed, in one of the forms that services use. */
export function errorAnswer(
  form: OriginOptions["errors"],
  status: number,
  message: string,
): { status: number; type: string; body: string } {
  if (form === "text") return { status, type: "text/plain; charset=utf-8", body: `${message}\n` };
  if (form === "html") {
    const page = `<!doctype html>\n<title>${status}</title>\n<h1>${message}</h1>\n`;
    return { status, type: "text/html; charset=utf-8", body: page };
  }
  if (form === "json") {
    return { status, type: "application/json", body: JSON.stringify({ message }) };
  }
  const problem = { type: "about:blank", title: STATUS_CODES[status], status, detail: message };
  return { status, type: "application/problem+json", body: JSON.stringify(problem) };
}
