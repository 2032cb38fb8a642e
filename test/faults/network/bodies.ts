import { hasItems, instead, itemsOf, send } from "./altering.ts";
import { type Fault, json } from "./fault.ts";
import { type Answer, type Hit, wireOf } from "./proxy.ts";

/** What the origin answered to the first request whose name fits. */
function knownBody({ proxy, name }: Hit, fits: (name: string) => boolean): Buffer {
  for (const [other, { body }] of proxy.known) if (other !== name && fits(other)) return body;
  return Buffer.from('{"status":"ok"}');
}

const endpoint = (name: string): string => name.split("?")[0]?.split("/").at(-1) ?? "";

/** Bodies with the status 200 that are not the answer. */
export const bodyFaults: readonly Fault[] = [
  { name: "nothing", befall: instead(() => "") },
  {
    name: "a web page",
    befall: ({ socket }) => {
      const body = Buffer.from("<!doctype html><title>Sign in</title><p>Please sign in.");
      socket.write(wireOf({ status: 200, headers: { "content-type": "text/html" }, body }));
    },
  },
  { name: "JSON, cut, of that length", on: json, befall: instead((text) => text.slice(0, -20)) },
  { name: "JSON and more", on: json, befall: instead((text) => `${text}{}`) },
  { name: "null", on: json, befall: instead(() => "null") },
  { name: "another object", on: json, befall: instead(() => '{"status":"ok"}') },
  { name: "100,000 brackets", on: json, befall: instead(() => "[".repeat(100_000)) },
  {
    name: "100,000 brackets, closed, in a member",
    on: json,
    befall: instead((text) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      return text.replace(/\}$/, `,"deep":${deep}}`);
    }),
  },
  {
    name: "bytes that are not UTF-8",
    on: json,
    fits: (_, { body }) => body.includes('"title":"'),
    befall: ({ socket, answer }) => {
      const body = Buffer.from(answer.body);
      body[body.indexOf('"title":"') + 9] = 0xff;
      socket.write(wireOf({ ...answer, body }));
    },
  },
  {
    name: "a zero byte in a string",
    on: json,
    fits: (_, { body }) => body.includes('"title":"'),
    befall: instead((text) => text.replace('"title":"', '"title":"\0')),
  },
  {
    name: "data twice, empty the second time",
    on: json,
    fits: hasItems,
    befall: instead((text) => text.replace(/\}$/, ',"data":[]}')),
  },
  {
    name: "an answer of another endpoint",
    on: ["page", "single"],
    befall: send((hit) => knownBody(hit, (other) => endpoint(other) !== endpoint(hit.name))),
  },
  {
    name: "an answer to another request to the same endpoint",
    on: ["single"],
    fits: (name, _, known) => [...known.keys()].some((other) => isSibling(other, name)),
    befall: send((hit) => knownBody(hit, (other) => isSibling(other, hit.name))),
  },
  {
    // As many, so that no count contradicts it.
    name: "the same list of something else",
    on: ["page"],
    fits: (name, answer, known) => otherList(known, name, answer) !== undefined,
    befall: send(({ proxy, name, answer }) => otherList(proxy.known, name, answer) ?? answer.body),
  },
  {
    name: "the categories as tags, or the tags as categories",
    on: ["all"],
    befall: send((hit) => knownBody(hit, (other) => /\/(?:categories|tags)$/.test(other))),
  },
];

function isSibling(other: string, name: string): boolean {
  const above = (path: string): string => path.slice(0, path.lastIndexOf("/"));
  return other !== name && above(other) === above(name);
}

/** The first page of another list of the same kind and length, such as the images of another article. */
function otherList(
  known: ReadonlyMap<string, Answer>,
  name: string,
  answer: Answer,
): Buffer | undefined {
  for (const [other, found] of known) {
    const alike = endpoint(other) === endpoint(name) && !`${other}${name}`.includes("?");
    const { length } = itemsOf(found);
    if (alike && other !== name && length > 0 && length === itemsOf(answer).length) {
      return found.body;
    }
  }
  return undefined;
}
