export interface FileWrite {
  at: number;
  bytes: Buffer;
}

/** What was done to a file since it was last synced: bytes were written, or it was given another length. */
export type FileChange = FileWrite | { length: number };

/** A file, in memory and on the platter. */
export interface FileNode {
  kind: "file";
  content: Buffer;
  durable: Buffer;
  pending: FileChange[];
  /** Milliseconds since 1970. */
  modifiedMs: number;
}

/** Names that change together: each gets a node, or goes. */
export type EntryChange = [name: string, node: Node | undefined][];

/** A folder, in memory and on the platter. */
export interface FolderNode {
  kind: "folder";
  entries: Map<string, Node>;
  durable: Map<string, Node>;
  pending: EntryChange[];
}

export type Node = FileNode | FolderNode;

export function newFile(): FileNode {
  const none = Buffer.alloc(0);
  return { kind: "file", content: none, durable: none, pending: [], modifiedMs: Date.now() };
}

export function newFolder(): FolderNode {
  return { kind: "folder", entries: new Map(), durable: new Map(), pending: [] };
}

/** A file's bytes after a change; the ones before stay as they are. */
export function changedBytes(bytes: Buffer, change: FileChange): Buffer {
  if ("length" in change) return resized(bytes, change.length);
  const after = resized(bytes, Math.max(bytes.length, change.at + change.bytes.length));
  after.set(change.bytes, change.at);
  return after;
}

/** A copy of another length, with zeros where there was nothing. */
export function resized(bytes: Buffer, length: number): Buffer {
  const after = Buffer.alloc(length);
  bytes.copy(after);
  return after;
}

export function changeFile(file: FileNode, change: FileChange): void {
  file.content = changedBytes(file.content, change);
  file.pending.push(change);
  file.modifiedMs = Date.now();
}

export function syncFile(file: FileNode): void {
  // Not the content itself: what a failed sync has dropped is not among the pending changes any more.
  for (const change of file.pending) file.durable = changedBytes(file.durable, change);
  file.pending = [];
}

export function applyEntries(entries: Map<string, Node>, change: EntryChange): void {
  for (const [name, node] of change) {
    if (node === undefined) entries.delete(name);
    else entries.set(name, node);
  }
}

export function changeEntries(folder: FolderNode, change: EntryChange): void {
  applyEntries(folder.entries, change);
  folder.pending.push(change);
}

export function syncEntries(folder: FolderNode): void {
  folder.durable = new Map(folder.entries);
  folder.pending = [];
}
