/** Names that Windows keeps for devices, whatever extension is behind them. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(?:\.|$)/i;
const maxSegmentBytes = 200;

/**
 * What makes a path unsafe to write below a root on any file system; undefined for a safe one. These are rules of
 * file systems and servers, told independently of how the program makes its names.
 */
export function faultOfPath(path: string, letters: "ASCII" | "any" = "ASCII"): string | undefined {
  if (path.startsWith("/")) return "absolute";
  if (path !== path.normalize("NFC")) return "not in normal form C";
  const allowed = letters === "any" ? /^[\p{L}\p{M}\p{N}._-]+$/u : /^[A-Za-z0-9._-]+$/;
  for (const segment of path.split("/")) {
    if (segment === "") return "empty segment";
    if (!allowed.test(segment)) return `other characters than ${allowed.source}`;
    if (segment.startsWith(".")) return "leading dot";
    if (segment.endsWith(".")) return "trailing dot";
    if (devices.test(segment)) return "reserved name";
    if (Buffer.byteLength(segment) > maxSegmentBytes)
      return `segment above ${maxSegmentBytes} bytes`;
  }
  return undefined;
}

/** Which of some paths meet on a file system that takes `A` for `a`, or where one is a file and another's folder. */
export class Places {
  readonly #owners = new Map<string, string>();

  /** Takes a place for what owns it; says whose it was already, if another one's. */
  take(path: string, owner: string): string | undefined {
    const key = path.normalize("NFD").toUpperCase().toLowerCase();
    const before = this.#owners.get(key) ?? owner;
    this.#owners.set(key, owner);
    return before === owner ? undefined : before;
  }

  /** Files that are also the folder of others. */
  *foldersInTheWay(): Generator<string> {
    for (const path of this.#owners.keys()) {
      for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
        if (this.#owners.has(path.slice(0, at))) yield path.slice(0, at);
      }
    }
  }

  get size(): number {
    return this.#owners.size;
  }
}

/** Counts by key, with one example each: a million names can break one rule in the same way. */
export class Tally {
  readonly #found = new Map<string, { count: number; example: string }>();

  add(key: string, example: string): void {
    const entry = this.#found.get(key);
    if (entry === undefined) this.#found.set(key, { count: 1, example });
    else entry.count++;
  }

  /** A line for each key. */
  *lines(): Generator<string> {
    for (const [key, { count, example }] of this.#found) {
      yield `${key}: ${count.toLocaleString("en")} times, such as ${example.slice(0, 160)}`;
    }
  }
}
