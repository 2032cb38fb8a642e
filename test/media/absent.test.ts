import { expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import type { Config } from "../../src/config.ts";
import { fileOf, id, imageOf, pictures, useStage } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media, downloads } = stage;

/** An origin that answers requests for some originals with a status, as often as is said. */
function denying(denials: Map<string, { status: number; times: number }>) {
  return {
    intercept: (request: { url?: string }, response: { writeHead(n: number): { end(): void } }) => {
      const denial = denials.get(/([0-9a-f-]{36})\/download/.exec(request.url ?? "")?.[1] ?? "");
      if (denial === undefined || denial.times-- <= 0) return false;
      response.writeHead(denial.status).end();
      return true;
    },
  };
}

/** One night: a crawl, and the stage with the links that it saw. */
async function night(config: Config, round = 0) {
  const links = createLinkBook();
  return await media(config, await crawl(config, links), { links, round });
}

const asked = (number: number): number =>
  downloads().filter((path) => path.includes(id(number))).length;

it.each([404, 410])("an image whose file is denied twice (%i) is a remark", async (status) => {
  const denials = new Map([[id(101), { status, times: Number.POSITIVE_INFINITY }]]);
  await start({ images: await pictures(3) }, denying(denials));
  const never = configOf({ crawl: { refreshShare: 0 } });
  const first = await night(never);
  const remark = `the origin has no file for it (${status})`;
  expect(first).toMatchObject({ problems: [], downloaded: 2 });
  expect(first.remarks).toMatchObject({
    absent: 1,
    first: [{ subject: `image ${id(101)}`, remark }],
  });
  expect(asked(101)).toBe(2);

  const second = await night(never, 1);
  expect(second).toMatchObject({ problems: [], downloaded: 0, remarks: first.remarks });
  expect(asked(101)).toBe(0);

  // In its turn it is asked for, and had where the origin has it again.
  denials.clear();
  const all = configOf({ crawl: { refreshShare: 1 } });
  expect(await night(all, 2)).toMatchObject({
    downloaded: 1,
    problems: [],
    remarks: { absent: 0 },
  });
  expect(stage.store.media.get("images", id(101))?.renditions).not.toHaveLength(0);
});

it("an image whose file is denied once is had by a fresh link", async () => {
  const denials = new Map([[id(101), { status: 404, times: 1 }]]);
  await start({ images: await pictures(2) }, denying(denials));
  const result = await night(configOf());
  expect(result).toMatchObject({ problems: [], downloaded: 2, remarks: { absent: 0 } });
});

it("an image whose link leads nowhere is had by another link", async () => {
  let time = Date.now();
  let dead: string | undefined;
  await start(
    { images: await pictures(1) },
    {
      now: () => new Date(time),
      intercept({ url = "" }, response) {
        if (!url.includes("/download")) return false;
        dead ??= url;
        if (url !== dead) return false;
        response.writeHead(404).end();
        return true;
      },
    },
  );
  const config = configOf();
  const links = createLinkBook(() => time);
  const manifest = await crawl(config, links);
  time += 60_000;
  const result = await media(config, manifest, { links });
  expect(result).toMatchObject({ problems: [], downloaded: 1, remarks: { absent: 0 } });
});

it("a record that changed is asked for anew", async () => {
  const denials = new Map([[id(101), { status: 404, times: 2 }]]);
  const { content } = await start({ images: await pictures(2) }, denying(denials));
  const never = configOf({ crawl: { refreshShare: 0 } });
  expect((await night(never)).remarks.absent).toBe(1);
  content.images.edit(id(101), { title: "Found again" });
  expect(await night(never, 1)).toMatchObject({ downloaded: 1, remarks: { absent: 0 } });
});

it("an origin that denies every file of a kind is not believed", async () => {
  const denials = new Map(
    Array.from({ length: 5 }, (_, n) => [id(60 + n), { status: 404, times: 99 }] as const),
  );
  const videos = Array.from({ length: 5 }, (_, n) =>
    fileOf(60 + n, "video/mp4", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isomavc1", "latin1")),
  );
  await start({ videos, images: await pictures(1) }, denying(denials));
  const { problems } = await night(configOf());
  expect(problems).toMatchObject(
    [{ subject: "videos", reason: /answers 404 for each of 5 files/ }].map(matching),
  );
  expect(stage.store.media.absence("videos", id(60))).toBeUndefined();
});

it("an origin is believed where it denied the others in an earlier night, and refuses them now", async () => {
  const denials = new Map(
    Array.from({ length: 5 }, (_, n) => [id(60 + n), { status: 404, times: 99 }]),
  );
  const bytes = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isomavc1", "latin1");
  const videos = Array.from({ length: 4 }, (_, n) => fileOf(60 + n, "video/mp4", bytes));
  const { content } = await start({ videos }, denying(denials));
  expect((await night(configOf())).remarks.absent).toBe(4);
  content.videos.add(fileOf(64, "video/mp4", bytes));
  for (const video of videos) {
    content.videos.edit(video.id, { title: "New words" });
    denials.set(video.id, { status: 403, times: 99 });
  }
  const { problems, remarks } = await night(configOf(), 1);
  expect(problems.map(({ reason }) => reason)).toEqual(
    Array.from({ length: 4 }, () => expect.stringContaining("403")),
  );
  expect(remarks.absent).toBe(1);
});

it("a night in which the origin says the same again writes nothing", async () => {
  const images = await pictures(4);
  images.push(await imageOf(110, Buffer.from("no picture")), await imageOf(111, Buffer.alloc(9)));
  const denials = new Map([
    [id(100), { status: 404, times: 99 }],
    [id(101), { status: 403, times: 99 }],
  ]);
  await start({ images, videos: [fileOf(60, "video/mp4", Buffer.from("a"))] }, denying(denials));
  const config = configOf({ crawl: { refreshShare: 1 } });
  const first = await night(config);
  expect(first.remarks).toMatchObject({ absent: 2 });
  const { bytes } = stage.store.media;
  for (const round of [1, 2]) {
    expect(await night(config, round)).toMatchObject({
      remarks: first.remarks,
      problems: first.problems,
    });
    expect(asked(100)).toBe(2);
  }
  expect(stage.store.media.bytes).toBe(bytes);
});

function matching({ subject, reason }: { subject: string; reason: RegExp }) {
  return { subject, reason: expect.stringMatching(reason) };
}
