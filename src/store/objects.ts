import { StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { membersOf } from "../lib/jsontext.ts";
import { openSegmentLog } from "./log.ts";
import { type Collection, type Normals, normalVersion } from "./records.ts";

/** A stored object: what the API said, as text without signed parameters, beside what we understood of it. */
export interface StoredObject<C extends Collection = Collection> {
  id: string;
  digest: string;
  normal: Normals[C];
  /** JSON of the API's object, members and numbers as the origin wrote them. */
  raw: string;
}

/** Objects of all collections, each written once, found by digest. */
export interface ObjectStore {
  readonly size: number;
  has(digest: string): boolean;
  /** Stores an object unless it is there; returns its digest, 32 hexadecimal characters. */
  put<C extends Collection>(collection: C, id: string, normal: Normals[C], raw: string): string;
  /** @throws StoreError when no such object is stored */
  read<C extends Collection>(collection: C, digest: string): StoredObject<C>;
  /** The raw text alone, cheaper than `read`. @throws StoreError when no such object is stored */
  readRaw(digest: string): string;
  sync(): void;
  close(): void;
}

/** Opens the objects of a store; `folder` holds nothing else. */
export function openObjects(folder: string): ObjectStore {
  const log = openSegmentLog(folder, {
    keyOf: (line) => {
      const span = membersOf(line).get("digest");
      if (span === undefined) throw new StoreError("line without a digest");
      return JSON.parse(line.slice(span.start, span.end)) as string;
    },
  });

  function lineOf(digest: string): string {
    const line = log.read(digest);
    if (line === undefined) {
      throw new StoreError(`object ${digest} is missing from the store`, {
        hint: "crawl again to fetch it anew",
      });
    }
    return line;
  }

  function member(line: string, name: string): string {
    const span = membersOf(line).get(name);
    if (span === undefined) throw new StoreError(`stored object without "${name}"`);
    return line.slice(span.start, span.end);
  }

  return {
    get size() {
      return log.size;
    },
    has: (digest) => log.has(digest),
    put(collection, id, normal, raw) {
      const normalText = JSON.stringify(normal);
      const digest = keyOf(normalVersion, collection, id, normalText, raw);
      if (!log.has(digest)) {
        const head = JSON.stringify({ collection, id, digest }).slice(0, -1);
        log.append(digest, `${head},"normal":${normalText},"raw":${raw}}`);
      }
      return digest;
    },
    read<C extends Collection>(_collection: C, digest: string): StoredObject<C> {
      const line = lineOf(digest);
      return {
        id: JSON.parse(member(line, "id")) as string,
        digest,
        normal: JSON.parse(member(line, "normal")) as Normals[C],
        raw: member(line, "raw"),
      };
    },
    readRaw: (digest) => member(lineOf(digest), "raw"),
    sync: () => log.sync(),
    close: () => log.close(),
  };
}
