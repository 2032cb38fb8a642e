import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { contents } from "../../support/contents.ts";
import { type Planted, tokenMark } from "./content.ts";

/** What of a run is looked at besides its files. */
export interface Said {
  what: string;
  text: string;
}

/** What got out, and where it was found. */
export interface Leak {
  what: string;
  where: string;
}

/** Names of a signed link's parameters, in the spellings that a text can carry them in. */
const parameters = /(?:expires|signature)(?:=|%(?:25)*3d|&#0*61;|&#x0*3d;|&equals;)[0-9a-f]{8}/i;

/** Every canary that got out: in what a run said, in any file below the output folder, or in a file's name. */
export function leaksOf(out: string, planted: Planted, said: readonly Said[]): Leak[] {
  const leaks: Leak[] = [];
  const look = (where: string, bytes: Buffer, name: string): void => {
    const text = bytes.toString("latin1");
    if (text.includes(tokenMark) || name.includes(tokenMark)) {
      leaks.push({ what: `the token ${before(text, tokenMark)}`, where });
    }
    for (const { place, mark } of planted.signatures) {
      if (text.includes(mark) || name.includes(mark)) {
        leaks.push({ what: `the signature of ${place}`, where });
      }
    }
    const parameter = parameters.exec(text)?.[0];
    if (parameter !== undefined) leaks.push({ what: `a signed parameter (${parameter})`, where });
  };
  for (const { what, text } of said) look(what, Buffer.from(text), "");
  for (const { path, bytes } of contents(out)) {
    look(withoutFolder(path, out), bytes, withoutFolder(path, out));
  }
  return [...leaks, ...privateLeaks(out, planted)];
}

/** What stands in front of a mark in a text: it tells how the mark got there. */
function before(text: string, mark: string): string {
  const at = Math.max(0, text.indexOf(mark));
  return `behind ${JSON.stringify(text.slice(Math.max(0, at - 16), at))}`;
}

function withoutFolder(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length + 1) : path;
}

/** Ids and files of private images in what is published: in the folder that the link of that name leads to. */
function privateLeaks(out: string, planted: Planted): Leak[] {
  const leaks: Leak[] = [];
  let folder: string;
  try {
    folder = join(out, readlinkSync(join(out, "public")));
  } catch {
    // A folder, or nothing yet.
    folder = join(out, "public");
  }
  if (!readdirSync(out).includes("public")) return [];
  for (const { path, bytes } of contents(folder)) {
    const name = withoutFolder(path, folder);
    for (const { place, mark } of planted.privateIds) {
      if (bytes.includes(mark) || name.includes(mark)) {
        leaks.push({ what: `a private image's id (${place})`, where: `public/${name}` });
      }
    }
    if (planted.privateFiles.has(createHash("sha256").update(bytes).digest("hex"))) {
      leaks.push({ what: "a private image's file", where: `public/${name}` });
    }
  }
  return leaks;
}

/** Looks at the command lines of a process and its children, and at the children's environment, as it runs. */
export function watchProcesses(pid: number): { stop(): Said[] } {
  const seen = new Map<string, Said>();
  const look = (): void => {
    const own = textOf(`/proc/${pid}/cmdline`);
    for (const id of [pid, ...childrenOf(pid)]) {
      // A child that has not begun its own program yet is a picture of the process that made it.
      if (id !== pid && textOf(`/proc/${id}/cmdline`) === own) continue;
      // The process itself is given the token in its environment; whatever it starts needs none.
      for (const file of id === pid ? ["cmdline"] : ["cmdline", "environ"]) {
        const text = textOf(`/proc/${id}/${file}`);
        const name = textOf(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim();
        const what = `${file} of ${id === pid ? "the command" : `a child (${name})`}`;
        seen.set(`${what} ${text}`, { what, text });
      }
    }
  };
  const timer = setInterval(look, 25);
  look();
  return {
    stop() {
      clearInterval(timer);
      return [...seen.values()];
    },
  };
}

function childrenOf(pid: number): number[] {
  const children: number[] = [];
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    const ids = textOf(`/proc/${pid}/task/${thread}/children`)
      .split(" ")
      .filter(Boolean)
      .map(Number);
    children.push(...ids, ...ids.flatMap(childrenOf));
  }
  return children;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
