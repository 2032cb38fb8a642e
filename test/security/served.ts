import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Fixture, ids, makeFixture } from "../mirror/fixture.ts";

export const [article = ""] = ids.articles;
export const [image = "", otherImage = ""] = ids.images;
export const api = "/api/v1";

/** A publish root with a mirror and a small website, which tests put files into. */
export interface Published {
  folder: string;
  publicRoot: string;
  root: string;
  write(build: string, path: string, content: string | Uint8Array): void;
  /** Swaps another build in. */
  publish(build: string): void;
  close(): void;
}

/** Publishes the build "1". */
export function publishArchive(): Published {
  const fixture: Fixture = makeFixture();
  const folder = mkdtempSync(join(tmpdir(), "stillpress-served-"));
  const write = (build: string, path: string, content: string | Uint8Array): void => {
    const target = join(folder, "builds", build, "public", path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  };
  const publish = (build: string): void => {
    symlinkSync(join("builds", build, "public"), join(folder, "next"));
    renameSync(join(folder, "next"), join(folder, "public"));
  };
  for (const build of ["1", "2"]) {
    for (const [path, file] of fixture.files()) {
      if ("content" in file) write(build, path, file.content());
    }
    write(build, "index.html", "<!doctype html><title>Home</title>the archive");
    write(build, "404.html", "<!doctype html><title>Not found</title>");
    write(build, "search/subjects.js", "stillpressPart([]);\n");
  }
  publish("1");
  return {
    folder,
    publicRoot: join(folder, "public"),
    root: api.slice(1),
    write,
    publish,
    close() {
      fixture.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a server sends back for these bytes until it closes the connection; "" for nothing. */
export function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece: string) => {
      text += piece;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    socket.write(bytes, "latin1");
  });
}

/** A request whose answer ends the connection. */
export const requestOf = (target: string, ...headers: string[]): string =>
  [`GET ${target} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n");

/** The status of an answer; 0 for none. */
export const statusOf = (answer: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
