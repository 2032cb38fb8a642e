import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { StoreError } from "../errors.ts";
import { cached } from "../lib/cached.ts";
import { otherWork } from "../lib/other-work.ts";
import type { Finding } from "../publish/check.ts";
import { descriptionOf } from "../publish/deploy.ts";
import { readBuildManifest } from "../publish/manifest.ts";
import { readRecord } from "../publish/record.ts";
import { isOwnFile } from "../routes/description.ts";
import { rulesOf } from "../routes/rules.ts";
import { createTable } from "../routes/table.ts";
import { idsOfHtml, type Reference, referencesOfAnswer, referencesOfPage } from "./references.ts";

const recentPages = 250;

/**
 * Follows every URL of a build's pages and answers that leads into the archive. What cannot be read has no references:
 * its size or digest tells of it. Paths are relative to the output folder.
 */
export async function followReferences(build: string, onFile: () => void = () => {}) {
  // Remarks are broken references that an author may have written.
  const check = { references: 0, findings: [] as Finding[], remarks: [] as Finding[] };
  const archive = unlessDamaged(() => openArchive(build));
  if (archive === undefined) return check;
  const { files, description } = archive;
  const { root } = archive.table;
  const textOf = (path: string): string => readFileSync(join(build, "public", path), "utf8");
  const reasonAgainst = brokenReasons(textOf, archive);

  for (const path of files.keys()) {
    const isPage = path.endsWith(".html");
    const isAnswer =
      path.startsWith(`${root}/`) && path.endsWith(".json") && !isOwnFile(path, root);
    if (!isPage && !isAnswer) continue;
    onFile();
    await otherWork();
    const referencesOf = isPage ? referencesOfPage : referencesOfAnswer;
    const place = { path, home: description.url };
    const references = unlessDamaged(() => [...referencesOf(textOf(path), place)]) ?? [];
    check.references += references.length;
    for (const reference of references) {
      const reason = reasonAgainst(reference);
      if (reason === undefined) continue;
      const finding = { path: `builds/${basename(build)}/public/${path}`, reason };
      (reference.ours ? check.findings : check.remarks).push(finding);
    }
  }
  return check;
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const isOfDisk = error instanceof Error && "syscall" in error;
    if (isOfDisk || error instanceof StoreError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function brokenReasons(textOf: (path: string) => string, archive: Archive) {
  const idsOfPage = cached(recentPages, (path) => unlessDamaged(() => idsOfHtml(textOf(path))));
  return (reference: Reference): string | undefined => {
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
  const description = descriptionOf(build, rulesOf(record.settings).root);
  return { files: readBuildManifest(build), description, table: createTable(description.rules) };
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
  return files.has(table.fileOf(request) ?? "");
}
