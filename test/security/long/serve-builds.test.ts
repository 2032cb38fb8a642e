// A night's run that publishes another build at the worst moment: just when a request has opened a first file. And whoever
// can put a link into a publish root that leads out of it.
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ArchiveFiles } from "../../../src/index.ts";
import { openFolder } from "../../../src/serve/folder.ts";
import { startServer } from "../../../src/serve/server.ts";
import { api, image, otherImage, type Published, publishArchive } from "../served.ts";

const colours = { "1": { r: 200, g: 0, b: 0 }, "2": { r: 0, g: 0, b: 200 } };
const picture = (background: object, width = 600) =>
  sharp({ create: { width, height: 300, channels: 3, background } })
    .png()
    .toBuffer();
const original = (id: string) => `${api.slice(1)}/images/by/download/${id}.png`;

let published: Published;

beforeAll(async () => {
  published = publishArchive();
  for (const build of ["1", "2"] as const) {
    published.write(build, original(image), await picture(colours[build]));
  }
  writeFileSync(join(published.folder, "private.png"), await picture(colours["1"], 777));
  symlinkSync(
    join(published.folder, "private.png"),
    join(published.publicRoot, original(otherImage)),
  );
});
afterAll(() => published.close());

/** Files of the publish root. Another build is published as soon as a request has opened one of them. */
function switching(files: ArchiveFiles, to: string): ArchiveFiles {
  return {
    ...files,
    async open(path) {
      const file = await files.open(path);
      published.publish(to);
      return file;
    },
    pinned: () => switching(files.pinned?.() ?? files, to),
  };
}

it.each([
  ["1", "2", "red"],
  ["2", "1", "blue"],
])(
  "makes a picture from build %s, although %s is published meanwhile",
  async (begun, later, colour) => {
    published.publish(begun);
    const files = switching(openFolder(published.publicRoot), later);
    const server = await startServer({ ...published, files });
    const answer = await fetch(`${server.url}${api}/images/${image}.jpg?width=101`);
    const { channels } = await sharp(Buffer.from(await answer.arrayBuffer())).stats();
    await server.close();
    expect((channels[0]?.mean ?? 0) > (channels[2]?.mean ?? 0) ? "red" : "blue").toBe(colour);
  },
);

it("makes no picture from a file outside of the build", async () => {
  published.publish("1");
  const server = await startServer(published);
  for (const target of [`${otherImage}.jpg?width=50`, `${otherImage}/download`]) {
    expect((await fetch(`${server.url}${api}/images/${target}`)).status).toBe(404);
  }
  // Nor from one that takes its place while the request is answered.
  const away = join(published.folder, "builds/1/public");
  renameSync(away, `${away}-moved`);
  expect((await fetch(`${server.url}${api}/images/${image}.jpg?width=51`)).status).toBe(503);
  renameSync(`${away}-moved`, away);
  expect((await fetch(`${server.url}${api}/images/${image}.jpg?width=51`)).status).toBe(200);
  await server.close();
});
