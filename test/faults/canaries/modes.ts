import type { IncomingMessage, ServerResponse } from "node:http";
import type { OriginOptions } from "../../../src/demo/options.ts";
import { idOf } from "../hand-made.ts";
import { signatureFor, token } from "./content.ts";

type Intercept = NonNullable<OriginOptions["intercept"]>;

const repeated = encodeURIComponent(token);
const message = JSON.stringify({ message: `token ${token} (${repeated}) is not good`, token });
const signature = signatureFor("an answer of a failing origin");
const signedQuery = `expires=1999999999&signature=${signature}`;

/** What failing origins say of signatures, to be looked for like those in the content. */
export const saidByModes = { place: "an answer of a failing origin", mark: signature };

const answer = (response: ServerResponse, status: number, body: string, headers = {}): true => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  return true;
};
const isIndex = ({ url }: IncomingMessage, name: string): boolean =>
  new RegExp(`/v1/${name}(?:\\?|$)`).test(url ?? "");
const isBinary = ({ url }: IncomingMessage): boolean => /signature=/.test(url ?? "");
const isOne = ({ url }: IncomingMessage): boolean => url?.endsWith(idOf("article", 1)) ?? false;

/**
 * Origins that repeat secrets in every way in which they can fail; each answers some requests itself. A new one is
 * made for each run.
 */
export const modes: Record<string, () => Intercept> = {
  "repeats the token in headers": () => (_, response) => {
    response.setHeader("X-Echo", token);
    response.setHeader("Set-Cookie", `token=${repeated}; Path=/`);
    response.setHeader("Link", `<https://elsewhere.example/?token=${token}>; rel="next"`);
    response.setHeader("ETag", `"${token}"`);
    response.setHeader("Last-Modified", token);
    return false;
  },
  "refuses the token": () => (_, response) =>
    answer(response, 401, message, { "WWW-Authenticate": `Bearer error="${token}"` }),
  "forbids an index": () => (request, response) =>
    isIndex(request, "images") && answer(response, 403, message),
  "fails at one article": () => (request, response) =>
    isOne(request) && answer(response, 500, message),
  "answers one article with its token": () => (request, response) =>
    isOne(request) && answer(response, 200, `{"data":{"id":["${token}"],"title":"${token}"}}`),
  "breaks its JSON": () => (request, response) =>
    isIndex(request, "tags") && answer(response, 200, `{"data":[{"slug":"${token}"`),
  "answers with a page": () => (request, response) =>
    isIndex(request, "galleries") &&
    answer(response, 200, `<html><title>${token}</title>`, { "content-type": "text/html" }),
  "leads to another host": () => (request, response) =>
    isIndex(request, "categories") &&
    answer(response, 302, message, {
      Location: `http://127.0.0.2:9/?access_token=${repeated}&${signedQuery}`,
    }),
  "leads round in circles": () => (request, response) =>
    isOne(request) && answer(response, 302, message, { Location: `/api/v1/x?token=${token}` }),
  "leads to no address": () => (request, response) =>
    isOne(request) && answer(response, 302, message, { Location: `http://[${token}/` }),
  "asks for patience in the token's words": () => {
    let asked = 0;
    return (request, response) =>
      isOne(request) && ++asked <= 3 && answer(response, 429, message, { "Retry-After": token });
  },
  "cuts an answer": () => (request, response) => {
    if (!isOne(request)) return false;
    response.writeHead(200, { "content-type": "application/json", "content-length": 9_999 });
    response.write(`{"data":{"id":"${token}"`, () => response.destroy());
    return true;
  },
  "refuses its own links": () => (request, response) =>
    isBinary(request) && answer(response, 403, `${message} ${request.url}`),
  "leads its links elsewhere": () => (request, response) =>
    isBinary(request) &&
    answer(response, 302, message, { Location: `http://127.0.0.2:9/x.jpg?${signedQuery}` }),
  "names its files after secrets": () => (request, response) => {
    if (!isBinary(request)) return false;
    const writeHead = response.writeHead.bind(response);
    // The origin has names of its own.
    response.writeHead = ((status: number, headers: object) =>
      writeHead(status, {
        ...headers,
        "Content-Disposition": `attachment; filename="${token}.png"`,
      })) as typeof response.writeHead;
    return false;
  },
};
