import type { Dice } from "../../../src/lib/random.ts";
import {
  applyEntries,
  changedBytes,
  type FileChange,
  type FileNode,
  type FileWrite,
  type FolderNode,
  type Node,
  newFile,
  newFolder,
  resized,
} from "./nodes.ts";

/**
 * What the machine finds after it was started again. Nothing else is promised by a file system than that what
 * was synced is there; what else it holds is told by these models.
 *
 * - `process`: only the process was killed. All that it handed over is there, still not synced.
 * - `strict`: nothing else is there. Names that were not synced are as they were.
 * - `torn`: a random part of the blocks of 512 bytes that were written is there, the last one of each file in
 *   half; of the changes of names in a folder, the first few.
 * - `reordered`: names and lengths are there, but where the content was not synced it is zero or garbage.
 */
export const models = ["process", "strict", "torn", "reordered"] as const;
export type Model = (typeof models)[number];

/** What is left of a tree of files. */
export function survivorsOf(root: FolderNode, model: Model, random: Dice): FolderNode {
  const copies = new Map<Node, Node>();
  const garbage = random.chance(50);

  function copyOf<N extends Node>(node: N): N {
    const known = copies.get(node);
    if (known !== undefined) return known as N;
    const copy = node.kind === "file" ? newFile() : newFolder();
    copies.set(node, copy);
    if (copy.kind === "file") fillFile(copy, node as FileNode);
    else fillFolder(copy, node as FolderNode);
    return copy as N;
  }

  function fillFolder(copy: FolderNode, node: FolderNode): void {
    for (const [name, child] of namesLeft(node)) copy.entries.set(name, copyOf(child));
    const durable = model === "process" ? node.durable : undefined;
    for (const [name, child] of durable ?? []) copy.durable.set(name, copyOf(child));
    if (durable === undefined) copy.durable = new Map(copy.entries);
    // What each change was does not matter any more, only that the next sync takes them all.
  }

  function namesLeft(node: FolderNode): Map<string, Node> {
    if (model === "process" || model === "reordered") return node.entries;
    const names = new Map(node.durable);
    const count = model === "strict" ? 0 : random.roll(node.pending.length + 1);
    for (const change of node.pending.slice(0, count)) applyEntries(names, change);
    return names;
  }

  function fillFile(copy: FileNode, node: FileNode): void {
    copy.modifiedMs = node.modifiedMs;
    if (model === "process") {
      copy.content = node.content;
      copy.durable = node.durable;
      copy.pending = [...node.pending];
      return;
    }
    copy.content = bytesLeft(node);
    copy.durable = copy.content;
  }

  function bytesLeft(node: FileNode): Buffer {
    if (model === "strict") return node.durable;
    return model === "torn" ? tornBytes(node, random) : lostBytes(node, garbage, random);
  }

  return copyOf(root);
}

const blockBytes = 512;

function tornBytes({ durable, pending, content }: FileNode, random: Dice): Buffer {
  let bytes = durable;
  const pieces = pending.flatMap<FileChange>((change) =>
    "length" in change ? [change] : blocksOf(change),
  );
  const kept = pieces.filter(() => random.chance(60));
  const last = kept.pop();
  for (const piece of kept) bytes = changedBytes(bytes, piece);
  if (last !== undefined) bytes = changedBytes(bytes, "length" in last ? last : firstHalf(last));
  // The length may be there without what it makes room for.
  const isLonger = content.length > bytes.length && random.chance(50);
  return isLonger ? resized(bytes, content.length) : bytes;
}

const firstHalf = ({ at, bytes }: FileWrite): FileWrite => ({
  at,
  bytes: bytes.subarray(0, Math.ceil(bytes.length / 2)),
});

/** A write as the blocks of the disk that it touches. */
function blocksOf({ at, bytes }: FileWrite): FileWrite[] {
  const blocks: FileWrite[] = [];
  for (let from = at; from < at + bytes.length; ) {
    const to = Math.min(at + bytes.length, (Math.floor(from / blockBytes) + 1) * blockBytes);
    blocks.push({ at: from, bytes: bytes.subarray(from - at, to - at) });
    from = to;
  }
  return blocks;
}

/** The length that the file had, and what was synced of its content. */
function lostBytes(
  { durable, pending, content }: FileNode,
  garbage: boolean,
  random: Dice,
): Buffer {
  // A file that was emptied and written again has other blocks than before.
  const kept = pending.reduce(
    (least, change) => ("length" in change ? Math.min(least, change.length) : least),
    durable.length,
  );
  const bytes = resized(durable.subarray(0, kept), content.length);
  if (!garbage) return bytes;
  for (let at = kept; at < bytes.length; at++) bytes[at] = random.roll(256);
  return bytes;
}
