import { bagOf, type Fault } from "./fault.ts";
import { type Answer, wireOf } from "./proxy.ts";

function instead(make: (body: Buffer) => Buffer, type?: string): Fault["befall"] {
  return ({ socket, answer }) => {
    const headers =
      type === undefined ? answer.headers : { ...answer.headers, "content-type": type };
    socket.write(wireOf({ ...answer, headers, body: make(answer.body) }));
  };
}

function flipped(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  // Behind the headers, in the pixels.
  const place = Math.floor(copy.length * 0.9);
  copy[place] = (copy[place] ?? 0) ^ 0x10;
  return copy;
}

const typeIs =
  (type: string) =>
  (_: string, { headers }: Answer): boolean =>
    headers["content-type"] === type;

/** Files that are not the file; their length fits their body. */
export const fileFaults: readonly Fault[] = [
  {
    name: "a bit flipped in a PNG",
    on: ["file"],
    fits: typeIs("image/png"),
    befall: instead(flipped),
  },
  {
    // The API tells no checksum, and a JPEG has none of its own.
    name: "a bit flipped in a JPEG",
    on: ["file"],
    believable: true,
    fits: typeIs("image/jpeg"),
    befall: instead(flipped),
  },
  {
    name: "a file cut to half",
    on: ["file"],
    befall: instead((body) => body.subarray(0, body.length >> 1)),
  },
  {
    name: "a file without its last byte",
    on: ["file"],
    befall: instead((body) => body.subarray(0, -1)),
  },
  {
    name: "a file and more",
    on: ["file"],
    befall: instead((body) => Buffer.concat([body, Buffer.from("more")])),
  },
  {
    name: "zeros of the same length",
    on: ["file"],
    fits: (_, { headers }) => headers["content-type"]?.startsWith("image/") === true,
    befall: instead((body) => Buffer.alloc(body.length)),
  },
  {
    name: "another file",
    on: ["file"],
    fits: (name, _, known) => otherFile(known, name) !== undefined,
    befall: ({ socket, answer, proxy, name }) => {
      socket.write(wireOf(otherFile(proxy.known, name) ?? answer));
    },
  },
  {
    name: "an error in JSON as a file",
    on: ["file"],
    befall: instead(() => Buffer.from('{"message":"Server Error"}'), "application/json"),
  },
];

/** Another file of another size; of the same size it could not be told from the right one. */
function otherFile(known: ReadonlyMap<string, Answer>, name: string): Answer | undefined {
  const length = known.get(name)?.body.length;
  for (const [other, answer] of known) {
    const json = bagOf(answer.headers)?.["content-type"] === "application/json";
    if (other !== name && !json && answer.body.length !== length) return answer;
  }
  return undefined;
}
