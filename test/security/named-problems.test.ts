// An author, with a private image that cannot be read, so that its title and id stand in messages.
import { describe, expect, it } from "vitest";
import { markdownStyle } from "../../src/changes/print.ts";
import { annotations } from "../../src/cli/github.ts";
import { anonymousProblem } from "../../src/lib/groups.ts";
import { emptyReport, type Report, reportMarkdown } from "../../src/publish/report.ts";
import { closedArchives } from "../site/fixture.ts";
import { noRemarks } from "../support/remarks.ts";

const archiveOf = closedArchives();
const id = "5f0c7d2e-8b1a-4c3d-9e2f-0123456789ab";
const title = "Secret meeting";
const secrets = [id, title, "zebra", "img_77"];

/** Problems as crawl and media make them now, and as snapshots of earlier versions hold them. */
const problems = [
  {
    subject: "GET /images?page=2: data[3]",
    item: `id ${id}, "${title}"`,
    reason: "malformed object",
  },
  { subject: `GET /images?private=1: data[3] (id ${id}, "${title}")`, reason: "malformed object" },
  { subject: `GET /images: data[1] ("${title} (one)")`, reason: "malformed object" },
  { subject: `image ${id}`, reason: `GET https://cdn.test/${id}.jpg: 403 after 2 attempts` },
  { subject: "image zebra", reason: "GET /f/zebra: 404", hint: "look at zebra" },
  { subject: "image a zebra", reason: "download: 404" },
  { subject: "document img_77", reason: "GET /documents/img_77/download: 500" },
  { subject: `images/${id}`, reason: `no longer listed: GET /images/${id}: 500` },
  { subject: `articles/${id}/images`, reason: `articles/${id}/images: 2 of 3` },
  { subject: "articles", reason: "the rest was not asked for, after article 77img_77: no body" },
];

const report: Report = {
  ...emptyReport(),
  problems,
  error: { message: `1 of 4 images would be removed: images/${id} ${JSON.stringify(title)}` },
  warnings: [{ text: `GET /images/${id}: bytes that are not UTF-8`, hint: "x" }],
  remarks: [{ subject: `image ${id}`, reason: "an SVG" }],
  proof: [
    {
      list: "images",
      collected: 1,
      expected: 1,
      pages: 1,
      passes: 1,
      agreed: true,
      remark: `image ${id}`,
    },
  ],
  media: {
    ...{ wanted: 1, checked: 0, downloaded: 1, encoded: 1, rechecked: 0 },
    remarks: {
      ...noRemarks,
      count: 1,
      first: [{ subject: `image ${id}`, remark: "an animation" }],
    },
  },
  changes: {
    summary: "images: 1 withdrawn",
    total: 1,
    base: "public",
    items: [
      {
        ...{ kind: "images", id, title, what: "withdrawn", page: null, fields: [] },
        view: `https://o.test/view/images/${id}`,
      },
    ],
  },
};

const held = (text: string): string[] => secrets.filter((secret) => text.includes(secret));

describe("the id and the title of what could not be read", () => {
  it("stand in report.json, and nowhere in report.md and the job summary", () => {
    const written = reportMarkdown(report);
    // As Markdown reads it: a backslash before a sign means nothing.
    const page = written.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
    expect([...held(written), ...held(page)]).toEqual([]);
    for (const kind of ["image", "document", "GET /images?page=2: data[3]: malformed object"]) {
      expect(page).toContain(`- ${kind}`);
    }
    expect(page).toContain("403 after 2 attempts");
    expect(page).toContain("- withdrawn: an image\n");
  });

  it("stand in no annotation of a job", () => {
    expect(held(annotations(report).join("\n"))).toEqual([]);
    expect(
      held(annotations({ ...report, problems: problems.slice(4), error: undefined }).join("\n")),
    ).toEqual([]);
  });

  it("do not stand in snapshot.html", () => {
    const about = archiveOf({ problems }).page("snapshot.html");
    expect(held(about)).toEqual([]);
    expect(about).toContain("GET /images?page=2: data[3]");
  });

  it("are all that is left out", () => {
    const harmless = [
      { subject: "index of images", reason: "12 of 14, and page 1 changed meanwhile" },
      {
        subject: "origin.paths.articleImages",
        reason: "404 for 3 lists, all there are",
        hint: "set it",
      },
      { subject: "files", reason: "the rest was not asked for, because so many failed in a row" },
    ];
    for (const one of harmless) expect(anonymousProblem(one)).toEqual(one);
    expect(String(markdownStyle.write`${title}`)).toBe(title);
  });
});
