import { basename, dirname } from "node:path";
import type { Disk, OpenFlags } from "../../../src/lib/disk.ts";
import { isErrno } from "../../../src/lib/files.ts";
import {
  changeEntries,
  changeFile,
  type EntryChange,
  type FileNode,
  type FolderNode,
  type Node,
  newFile,
  newFolder,
  syncEntries,
  syncFile,
} from "./nodes.ts";
import { type CallKind, Crash, countTrouble, errno, shortWrite, type Trouble } from "./trouble.ts";

/** A file system in memory, with absolute paths only, that knows what of it would survive a power cut. */
export interface SimulatedDisk extends Disk {
  readonly root: FolderNode;
  /** Changes made so far: what a crash can come between. */
  readonly changes: number;
  /** Whether the machine has stopped, whatever became of the error that said so. */
  readonly crashed: boolean;
  /** All calls so far, the reading ones too: what can fail. */
  readonly calls: readonly CallKind[];
}

interface OpenFile {
  node: Node;
  position: number;
}

export function simulateDisk(root: FolderNode, trouble: Trouble = {}): SimulatedDisk {
  const handles = new Map<number, OpenFile>();
  let nextHandle = 3;
  const count = countTrouble(trouble);
  const { call, change } = count;

  function find(path: string): Node | undefined {
    let node: Node | undefined = root;
    for (const name of path.split("/").slice(1)) {
      if (name === "") continue;
      if (node?.kind !== "folder") return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  function get(path: string): Node {
    const node = find(path);
    if (node === undefined) throw errno("ENOENT", path);
    return node;
  }

  function folderAt(path: string): FolderNode {
    const node = get(path);
    if (node.kind !== "folder") throw errno("ENOTDIR", path);
    return node;
  }

  function fileOf(handle: number): FileNode {
    const { node } = opened(handle);
    if (node.kind !== "file") throw errno("EISDIR", String(handle));
    return node;
  }

  function opened(handle: number): OpenFile {
    const open = handles.get(handle);
    if (open === undefined) throw errno("EBADF", String(handle));
    return open;
  }

  function enter(path: string, ...entry: [] | [Node]): void {
    changeEntries(folderAt(dirname(path)), [[basename(path), entry[0]]]);
  }

  function create(path: string): FileNode {
    call("create", path);
    change();
    const node = newFile();
    enter(path, node);
    return node;
  }

  function open(path: string, flags: OpenFlags): number {
    const found = find(path);
    if (found !== undefined && flags.includes("x")) throw errno("EEXIST", path);
    if (found === undefined && flags.startsWith("r")) throw errno("ENOENT", path);
    let node = found;
    if (node === undefined) node = create(path);
    else {
      call("open", path);
      if (node.kind === "file" && flags === "w" && node.content.length > 0) {
        change();
        changeFile(node, { length: 0 });
      }
    }
    handles.set(nextHandle, { node, position: 0 });
    return nextHandle++;
  }

  function write(
    handle: number,
    bytes: Uint8Array,
    start: number,
    length: number,
    position: number | null,
  ): number {
    const node = fileOf(handle);
    const at = position ?? opened(handle).position;
    const put = (count: number): void => {
      if (count === 0) return;
      changeFile(node, { at, bytes: Buffer.from(bytes.subarray(start, start + count)) });
      opened(handle).position = at + count;
    };
    try {
      call("write", String(handle));
    } catch (error) {
      if (error instanceof Crash) throw error;
      // A full disk takes a part first.
      const part = Math.ceil(length / 2);
      put(part);
      if (isErrno(error, shortWrite)) return part;
      throw error;
    }
    change(() => put(Math.floor(length * (trouble.lastShare ?? 0))));
    put(length);
    return length;
  }

  function sync(handle: number): void {
    const { node } = opened(handle);
    try {
      call("sync", String(handle));
    } catch (error) {
      // Linux takes what it could not write for written from then on.
      if (!(error instanceof Crash) && node.kind === "file") node.pending = [];
      throw error;
    }
    change();
    if (node.kind === "file") syncFile(node);
    else syncEntries(node);
  }

  function close(handle: number): void {
    call("close", String(handle));
    handles.delete(handle);
  }

  function remove(path: string): void {
    const node = find(path);
    if (node === undefined) return;
    if (node.kind === "folder") for (const name of node.entries.keys()) remove(`${path}/${name}`);
    call("remove", path);
    change();
    enter(path);
  }

  const disk: SimulatedDisk = {
    root,
    get changes() {
      return count.changes;
    },
    get crashed() {
      return count.crashed;
    },
    calls: count.calls,
    open,
    close,
    read(handle, into, start, length, position) {
      call("read", String(handle));
      return fileOf(handle).content.copy(into, start, position, position + length);
    },
    write,
    bytesOf: (handle) => fileOf(handle).content.length,
    cut(handle, length) {
      const node = fileOf(handle);
      call("cut", String(handle));
      change();
      changeFile(node, { length });
    },
    sync,
    syncData: sync,
    readFile(path) {
      const node = get(path);
      if (node.kind !== "file") throw errno("EISDIR", path);
      call("open", path);
      call("read", path);
      return Buffer.from(node.content);
    },
    stat(path) {
      const node = find(path);
      if (node === undefined) return undefined;
      if (node.kind === "folder") return { bytes: 0, modifiedMs: 0 };
      return { bytes: node.content.length, modifiedMs: node.modifiedMs };
    },
    list(path) {
      const node = folderAt(path);
      call("list", path);
      return [...node.entries.keys()];
    },
    makeFolder(path) {
      const known = find(path);
      if (known?.kind === "file") throw errno("EEXIST", path);
      if (known !== undefined) return undefined;
      const first = dirname(path) === path ? undefined : disk.makeFolder(dirname(path));
      call("makeFolder", path);
      change();
      enter(path, newFolder());
      return first ?? path;
    },
    closeToOthers() {},
    rename(from, to) {
      const node = get(from);
      const [source, target] = [folderAt(dirname(from)), folderAt(dirname(to))];
      call("rename", from);
      change();
      const gone: EntryChange[number] = [basename(from), undefined];
      const there: EntryChange[number] = [basename(to), node];
      // Within one folder it is one change; between two, each has its own.
      if (source === target) return changeEntries(source, [gone, there]);
      changeEntries(target, [there]);
      changeEntries(source, [gone]);
    },
    link(from, to) {
      const node = get(from);
      if (find(to) !== undefined) throw errno("EEXIST", to);
      call("link", to);
      change();
      enter(to, node);
    },
    touch(path) {
      const node = get(path);
      if (node.kind === "file") node.modifiedMs = Date.now();
    },
    remove,
  };
  return disk;
}
