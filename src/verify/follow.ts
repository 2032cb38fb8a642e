import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { StoreError } from "../errors.ts";
import { cached } from "../lib/cached.ts";
import type { Finding } from "../publish/check.ts";
import { descriptionOf } from "../publish/deploy.ts";
import { readBuildManifest } from "../publish/manifest.ts";
import { readRecord } from "../publish/record.ts";
import { descriptionFile } from "../routes/description.ts";
import { rulesOf } from "../routes/rules.ts";
import { createTable } from "../routes/table.ts";
import {
  idsOfHtml,
  type Place,
  type Reference,
  referencesOfAnswer,
  referencesOfPage,
} from "./references.ts";

const recentPages = 250;

/**
 * Follows every URL of a build's pages and answers that leads into the archive. Paths are relative to the output
 * folder; a build whose manifest or record cannot be read has no references.
 */
export async function followReferences(build: string, onFile: () => void = () => {}) {
  const check = {
    references: 0,
    findings: [] as Finding[],
    /** Broken references that an author may have written. */
    remarks: [] as Finding[],
  };
  const archive = openArchive(build);
  if (archive === undefined) return check;
  const { files, description } = archive;
  const { root } = archive.table;
  const own = new Set([descriptionFile, "404.json"].map((name) => `${root}/${name}`));
  const reasonAgainst = brokenReasons(build, archive);

  for (const path of files.keys()) {
    const isPage = path.endsWith(".html");
    const isAnswer = path.startsWith(`${root}/`) && path.endsWith(".json") && !own.has(path);
    if (!isPage && !isAnswer) continue;
    onFile();
    await otherWork();
    const text = textIn(build, path) ?? "";
    const place = { path, home: description.url };
    for (const reference of isPage ? referencesOfPage(text, place) : inAnswer(text, place)) {
      check.references++;
      const reason = reasonAgainst(reference);
      if (reason === undefined) continue;
      const finding = { path: `builds/${basename(build)}/public/${path}`, reason };
      (reference.ours ? check.findings : check.remarks).push(finding);
    }
  }
  return check;
}

/** Undefined for an unreadable file, which its size or digest tells. */
function textIn(build: string, path: string): string | undefined {
  try {
    return readFileSync(join(build, "public", path), "utf8");
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return undefined;
    throw error;
  }
}

function inAnswer(text: string, place: Place): Reference[] {
  try {
    return [...referencesOfAnswer(text, place)];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function brokenReasons(build: string, archive: Archive): (one: Reference) => string | undefined {
  const idsOfPage = cached(recentPages, (path) => {
    const text = textIn(build, path);
    return text === undefined ? undefined : idsOfHtml(text);
  });
  return (reference) => {
    const { url, path, query, fragment } = reference;
    if (query !== "" || !archive.files.has(path)) {
      return answers(archive, reference) ? undefined : `leads to no file: ${url}`;
    }
    if (fragment === "" || !path.endsWith(".html")) return undefined;
    const isThere = idsOfPage(path)?.has(fragment) ?? true;
    return isThere ? undefined : `leads to no element of the page: ${url}`;
  };
}

type Archive = NonNullable<ReturnType<typeof openArchive>>;

function openArchive(build: string) {
  const record = readRecord(build);
  if (record === undefined) return undefined;
  try {
    const description = descriptionOf(build, rulesOf(record.settings).root);
    return { files: readBuildManifest(build), description, table: createTable(description.rules) };
  } catch (error) {
    if (error instanceof StoreError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a program or host has an answer, where links are requests. */
function answers({ files, table, description }: Archive, { path, query }: Reference): boolean {
  if (description.links !== "api") return false;
  if (!path.startsWith(`${table.root}/`)) return true;
  const below = path.slice(table.root.length);
  const request = table.match(below, query);
  if (request === undefined) {
    const { linked = [] } = description;
    return linked.some((ending) => files.has(table.fileOfLink(below, ending) ?? ""));
  }
  if (request.route === "binary" || request.route === "download") {
    const { id, route } = request;
    const web = files.has(table.linkedFileOfImage(id, "web", "jpeg"));
    if (web || route === "binary") return web;
    return description.originals.some((ending) => files.has(table.fileOfOriginal(id, ending)));
  }
  const file = table.fileOf(request);
  return file !== undefined && files.has(file);
}
