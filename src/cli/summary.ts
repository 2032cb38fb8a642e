import { plural } from "../lib/words.ts";
import { isQuiet, type Report } from "../publish/report.ts";
import { bytesText } from "../site/formats.ts";
import { jobsText } from "./engine.ts";
import { shortPath } from "./folder.ts";
import type { StageName } from "./options.ts";
import { print } from "./print.ts";

export function printSummary(
  report: Report,
  { out }: { out: string },
  stages: readonly StageName[],
  output?: Parameters<typeof print>[1],
): void {
  const place = shortPath(out);
  const lines: string[] = [""];
  const row = (name: string, text: string): void => {
    lines.push(`  ${name.padEnd(10)} ${text}`);
  };
  if (report.snapshot !== null) {
    row("snapshot", `${report.snapshot}${report.complete ? ", complete" : ", INCOMPLETE"}`);
    row("content", contentLine(report.counts));
  }
  if (report.changes.summary !== undefined) row("changes", report.changes.summary);
  if (stages.includes("crawl") || stages.includes("media")) {
    const { requests, downloads, retries } = report;
    const repeated = retries > 0 ? `, ${retries} repeated` : "";
    row("requests", `${requests} (${downloads} downloads${repeated}), ${bytesText(report.bytes)}`);
  }
  const { media, problems } = report;
  if (media) row("media", `${media.wanted} files, ${media.encoded} newly encoded`);
  if (report.jobs !== null) row("jobs", jobsText(report.jobs));
  if (report.output !== null) {
    const { added = 0, changed = 0, removed = 0 } = report.changes.files ?? {};
    const what = report.published
      ? `${added} new, ${changed} changed, ${removed} removed`
      : "no file changed";
    row("output", `${report.output.files} files, ${bytesText(report.output.bytes)}: ${what}`);
  }
  const notShown = report.output?.held ?? 0;
  if (notShown > 0) row("not shown", `${plural(notShown, "image")}, private or unproved`);
  const { upload } = report;
  if (upload !== null)
    row("sent", `${plural(upload.sent, "file")}, ${bytesText(upload.bytes)} to ${upload.target}`);
  if (problems.length > 0) row("problems", `${problems.length}, see ${place}/report.md`);
  const remarks = remarksOf(report);
  if (remarks !== "") row("remarks", `${remarks}, see ${place}/report.md`);
  const outcome = isQuiet(report) ? "complete, nothing changed" : report.outcome;
  row("result", `exit ${report.exitCode}: ${outcome}`);
  if (stages.includes("build")) {
    lines.push("", `  Read it    open ${place}/public/index.html`);
    lines.push(`  Serve it   npx stillpress serve${place === "out" ? "" : ` --out ${place}`}`);
    lines.push(`  Report     ${place}/report.md`);
  }
  print(lines, output);
}

function remarksOf({ remarks, media }: Report): string {
  const { count = 0, doubtful = 0 } = media?.remarks ?? {};
  const others = doubtful > 0 ? `, ${doubtful} of them not as recorded` : "";
  return [
    ...(remarks.length > 0 ? [`${remarks.length} on the crawl and the pages`] : []),
    ...(count > 0 ? [`${plural(count, "file")}${others}`] : []),
  ].join("; ");
}

/** `24 articles, 5 galleries, 40 images` */
export function contentLine(counts: Record<string, number>): string {
  const names = "articles galleries images videos audio documents categories tags".split(" ");
  const parts = names.flatMap((name) => {
    // Attached files of the other kinds count as well; an image that is in no index may be private.
    const attached = name === "images" ? 0 : (counts[`${name}.unlisted`] ?? 0);
    const count = (counts[name] ?? 0) + attached;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  return parts.join(", ");
}
