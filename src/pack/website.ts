import { basename } from "node:path";
import { xmlText } from "../lib/foreign.ts";
import type { BuildRecord } from "../publish/record.ts";
import { timeOfId } from "../store/snapshots.ts";
import { type Pack, type PackInput, publishedFiles } from "./content.ts";
import { writeZip } from "./zip-writer.ts";

/** The published archive in one folder of a zip, beside a page to start from. */
export async function packWebsite(input: PackInput): Promise<Pack> {
  const { path, record } = input;
  const folder = basename(path).replace(/\.zip$/i, "");
  let files = 0;
  const bytes = await writeZip(path, timeOfId(record.snapshot), async (zip) => {
    await zip.add(`${folder}/start-here.html`, [Buffer.from(startPage(record))]);
    for await (const { file, content } of publishedFiles(input)) {
      await zip.add(`${folder}/archive/${file.path}`, content());
      files++;
    }
  });
  return { files, bytes };
}

function startPage({ site, snapshot }: BuildRecord): string {
  const title = xmlText(site.title);
  return `<!doctype html>
<html lang="${xmlText(site.language)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url=archive/index.html">
<title>${title}</title>
<p><a href="archive/index.html">${title}</a> (${timeOfId(snapshot).toISOString().slice(0, 10)})
</html>
`;
}
