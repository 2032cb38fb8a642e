import { sha256 } from "../../../src/lib/digest.ts";

/** An object that the origin shows: its raw text, and its file with what is made of it. */
export interface Item {
  id: string;
  raw: string;
  record: string;
  files: { digest: string; bytes: Uint8Array }[];
}

/** What the origin shows in a night, in the tasks in which it is read. */
export interface Night {
  time: string;
  tasks: { name: string; items: Item[] }[];
}

const perTask = 3;

function item(id: number, version: number): Item {
  const text = `${id}.${version} `.repeat(60 + 60 * id);
  const raw = JSON.stringify({ id, version, text });
  const files = [text, text.slice(0, 200), text.slice(0, 900)].map((content) => ({
    digest: sha256(content),
    bytes: Buffer.from(content),
  }));
  return { id: `id-${id}`, raw, record: sha256(raw), files };
}

function nightOf(time: string, versions: readonly number[]): Night {
  const items = versions.map((version, id) => item(id, version));
  const tasks = Array.from({ length: Math.ceil(items.length / perTask) }, (_, task) => ({
    name: `page ${task}`,
    items: items.slice(task * perTask, (task + 1) * perTask),
  }));
  return { time, tasks };
}

/** A first night, one with changed and new objects, and a quiet one. */
export const nights: readonly Night[] = [
  nightOf("2024-05-02T01:00:00.000Z", [1, 1, 1, 1, 1, 1, 1]),
  nightOf("2024-05-03T01:00:00.000Z", [1, 2, 1, 1, 2, 1, 1, 1, 1]),
  nightOf("2024-05-04T01:00:00.000Z", [1, 2, 1, 1, 2, 1, 1, 1, 1]),
];

export const itemsOf = (night: Night) => night.tasks.flatMap(({ items }) => items);
