import { randomInt } from "node:crypto";

/** Files by their paths, as maps have them. */
export interface FilesByPath<F> extends Iterable<[path: string, file: F]> {
  readonly size: number;
  has(path: string): boolean;
  get(path: string): F | undefined;
  keys(): Iterable<string>;
  values(): Iterable<F>;
}

/** Bytes of lines that lie together. */
const chunkBytes = 1 << 20;
/** Numbers that are held of each line. */
const perLine = 4;
const start = '{"path":"';
const quote = 0x22;
const newline = 0x0a;
/** Characters that JSON does not escape, one byte each. */
const plain = /^[ !#-[\]-~]*$/;

/**
 * Files in an order, each a line of JSON that begins with its path. An archive has millions: lines are bytes outside the
 * heap, whose limit they would reach as objects, and parsed again whenever one is asked for.
 */
export class FileList<F extends { path: string }> implements FilesByPath<F> {
  readonly #chunks: Buffer[] = [];
  /** Bytes of the last chunk that are taken. */
  #filled = chunkBytes;
  /** Of each line: number of its chunk, where it begins and ends there, and the hash of its path. */
  #lines = new Uint32Array(1024 * perLine);
  /** By the hash of a path, or behind that: number of its line, from 1 on. */
  #places = new Uint32Array(2048);
  #size = 0;

  /** Counts also the places that are still free in front of others. */
  get size(): number {
    return this.#size;
  }

  /** @param at place in the order, from 0 on, which is still free */
  put(at: number, file: F): void {
    this.#put(at, Buffer.from(JSON.stringify(file)), file.path);
  }

  /** Adds a file behind the others, as its line without the end. */
  addLine(line: Buffer): void {
    this.#put(this.#size, line, pathIn(line));
  }

  /** Whether a place is filled. */
  isFilled(at: number): boolean {
    return this.#lines[at * perLine + 2] !== 0;
  }

  get(path: string): F | undefined {
    const at = this.#find(path);
    return at === undefined ? undefined : this.#at(at);
  }

  has(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  *keys(): Generator<string> {
    for (let at = 0; at < this.#size; at++) yield pathIn(this.#lineAt(at));
  }

  *values(): Generator<F> {
    for (let at = 0; at < this.#size; at++) yield this.#at(at);
  }

  *[Symbol.iterator](): Generator<[path: string, file: F]> {
    for (const file of this.values()) yield [file.path, file];
  }

  /** All lines in their order, with their ends. */
  *pieces(): Generator<Buffer> {
    let [inChunk, from, to] = [0, 0, 0];
    const run = (): Buffer => (this.#chunks[inChunk] as Buffer).subarray(from, to);
    for (let at = 0; at < this.#size; at++) {
      const [chunk, begin, end] = this.#spanOf(at);
      if (chunk === inChunk && begin === to) to = end + 1;
      else {
        if (to > 0) yield run();
        [inChunk, from, to] = [chunk, begin, end + 1];
      }
    }
    if (to > 0) yield run();
  }

  #put(at: number, line: Buffer, path: string): void {
    while ((at + 1) * perLine > this.#lines.length) this.#grow();
    const hash = hashOf(path);
    this.#lines.set([...this.#keep(line), hash], at * perLine);
    this.#size = Math.max(this.#size, at + 1);
    this.#note(hash, at);
  }

  /** Copies a line; returns its chunk, and where it begins and ends there. */
  #keep(line: Buffer): [chunk: number, begin: number, end: number] {
    const length = line.length + 1;
    if (this.#filled + length > (this.#chunks.at(-1)?.length ?? 0)) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(chunkBytes, length)));
      this.#filled = 0;
    }
    const last = this.#chunks.length - 1;
    const chunk = this.#chunks[last] as Buffer;
    const begin = this.#filled;
    this.#filled += length;
    chunk.set(line, begin);
    chunk[this.#filled - 1] = newline;
    return [last, begin, this.#filled - 1];
  }

  #spanOf(at: number): [chunk: number, begin: number, end: number] {
    const first = at * perLine;
    const lines = this.#lines;
    return [lines[first] as number, lines[first + 1] as number, lines[first + 2] as number];
  }

  #lineAt(at: number): Buffer {
    const [chunk, begin, end] = this.#spanOf(at);
    return (this.#chunks[chunk] as Buffer).subarray(begin, end);
  }

  #at(at: number): F {
    return JSON.parse(this.#lineAt(at).toString()) as F;
  }

  #hashAt(at: number): number {
    return this.#lines[at * perLine + 3] as number;
  }

  #find(path: string): number | undefined {
    const hash = hashOf(path);
    const mask = this.#places.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = (this.#places[slot] as number) - 1;
      if (at < 0) return undefined;
      if (this.#hashAt(at) === hash && pathIn(this.#lineAt(at)) === path) return at;
    }
  }

  #note(hash: number, at: number): void {
    const mask = this.#places.length - 1;
    let slot = hash & mask;
    while (this.#places[slot] !== 0) slot = (slot + 1) & mask;
    this.#places[slot] = at + 1;
  }

  #grow(): void {
    const lines = new Uint32Array(this.#lines.length * 2);
    lines.set(this.#lines);
    this.#lines = lines;
    this.#places = new Uint32Array(this.#places.length * 2);
    for (let at = 0; at < this.#size; at++) if (this.isFilled(at)) this.#note(this.#hashAt(at), at);
  }
}

/** Files in their order. */
export function listOf<F extends { path: string }>(files: Iterable<F>): FileList<F> {
  const list = new FileList<F>();
  for (const file of files) list.put(list.size, file);
  return list;
}

/** The path with which a line begins. */
function pathIn(line: Buffer): string {
  const path = line.toString("latin1", start.length, line.indexOf(quote, start.length));
  if (plain.test(path) && line.toString("latin1", 0, start.length) === start) return path;
  return (JSON.parse(line.toString()) as { path: string }).path;
}

/** Chosen by chance, so that no author can choose names whose hashes meet. */
const seed = randomInt(2 ** 32);

/** FNV-1a, but for its beginning. */
function hashOf(text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
