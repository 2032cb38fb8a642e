import { StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { membersOf } from "../lib/jsontext.ts";
import { SegmentLog, type SegmentLogOptions } from "./log.ts";
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
export type ObjectStore = ReturnType<typeof openObjects>;

/** Opens the objects of a store; `folder` holds nothing else. */
export function openObjects(folder: string, options: SegmentLogOptions = {}) {
  const log = new SegmentLog(folder, options);

  /** The text of a member of an object. @throws StoreError when no such object is stored */
  function partsOf(digest: string): (name: string) => string {
    const text = log.read(digest);
    if (text === undefined) {
      throw new StoreError(`object ${digest} is missing from the store`, {
        hint: 'run "stillpress repair" to have it again',
      });
    }
    const members = membersOf(text, "raw");
    return (name) => {
      const found = members.get(name);
      if (found === undefined) throw new StoreError(`object ${digest} has no "${name}"`);
      return found;
    };
  }

  /** @throws StoreError when no such object is stored */
  function read<C extends Collection>(_collection: C, digest: string): StoredObject<C> {
    const member = partsOf(digest);
    return {
      id: JSON.parse(member("id")) as string,
      digest,
      normal: JSON.parse(member("normal")) as Normals[C],
      raw: member("raw"),
    };
  }

  return {
    has: (digest: string): boolean => log.has(digest),
    /** Stores an object unless it is there; returns its digest, 32 hexadecimal characters. */
    put<C extends Collection>(collection: C, id: string, normal: Normals[C], raw: string): string {
      const normalText = JSON.stringify(normal);
      const digest = keyOf(normalVersion, collection, id, normalText, raw);
      if (!log.has(digest)) {
        const head = JSON.stringify({ collection, id }).slice(0, -1);
        log.append(digest, `${head},"normal":${normalText},"raw":${raw}}`);
      }
      return digest;
    },
    read,
    /** The normalised form alone. @throws StoreError when no such object is stored */
    readNormal: <C extends Collection>(collection: C, digest: string) =>
      read(collection, digest).normal,
    /** The raw text alone. @throws StoreError when no such object is stored */
    readRaw: (digest: string): string => partsOf(digest)("raw"),
    /** Bytes of all objects. */
    get bytes(): number {
      return log.bytes;
    },
    /** Makes what was put durable. */
    sync: (): void => log.sync(),
    close: (): void => log.close(),
  };
}
