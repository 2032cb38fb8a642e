import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Origin, type StartOptions, startOrigin } from "../../src/demo/origin.ts";
import { ask, bytesOf, imageOf, sizeOf, smallContent, stripes } from "./support.ts";

let upright: Buffer;
let turned: Buffer;
let origin: Origin;
let time = Date.UTC(2025, 0, 1);
const running: Origin[] = [];

async function start(options: Partial<StartOptions> = {}): Promise<Origin> {
  const content = smallContent({ images: [imageOf(0, upright), imageOf(1, turned)] });
  const started = await startOrigin({ content, now: () => new Date(time), ...options });
  running.push(started);
  return started;
}

beforeAll(async () => {
  upright = await stripes(false);
  turned = await stripes(true);
  origin = await start();
});
afterAll(() => Promise.all(running.map((one) => one.close())));

/** Links of an image in the list of an origin, fresh. */
async function linksOf(at: number, from = origin) {
  const links = (await ask(from, "/images")).json.data[at]?.links;
  if (!links) throw new Error(`no image ${at}`);
  return { ...links, thumbnail: links.thumbnail as Record<string, string> };
}

/** Names of the stripes' colours from left to right, in the middle row, at some columns. */
async function colours(body: Buffer, columns: number[]): Promise<string> {
  const { data, info } = await sharp(body).raw().toBuffer({ resolveWithObject: true });
  const row = Math.floor(info.height / 2) * info.width;
  return columns
    .map((column) => {
      const [red = 0, green = 0] = data.subarray((row + column) * info.channels);
      return red > 128 ? "r" : green > 128 ? "g" : "b";
    })
    .join("");
}

describe("signed links", () => {
  it("work without a token, for 12 hours", async () => {
    const { web, download } = await linksOf(0);
    expect((await bytesOf(download)).body.equals(upright)).toBe(true);
    time += 12 * 3600_000;
    expect((await bytesOf(web)).status).toBe(200);
    time += 1000;
    expect((await bytesOf(web)).status).toBe(403);
    expect((await bytesOf(download)).status).toBe(403);
  });

  it("are refused when path, expires or signature were changed, or are missing", async () => {
    const [{ web }, other] = [await linksOf(0), await linksOf(1)];
    const expires = Number(new URL(web).searchParams.get("expires"));
    const tampered = [
      web.replace(`expires=${expires}`, `expires=${expires + 1}`),
      web.replace(/signature=./, "signature=x"),
      web.replace(/&signature=.*/, ""),
      web.replace(new URL(web).pathname, new URL(other.web).pathname),
      web.replace(".jpg", "/download"),
      web.replace(/\?.*/, ""),
    ];
    for (const url of tampered) expect((await bytesOf(url)).status).toBe(403);
    const headers = { Authorization: `Bearer ${origin.tokens.organisation}` };
    expect((await fetch(web.replace(/\?.*/, ""), { headers })).status).toBe(403);
  });

  it("have the shapes of the document", async () => {
    const { web, download, thumbnail } = await linksOf(0);
    const id = "[0-9a-f-]{36}";
    const query = (middle: string) => `\\?expires=\\d+${middle}&signature=[0-9a-f]+$`;
    expect(web).toMatch(new RegExp(`/images/${id}\\.jpg${query("")}`));
    expect(download).toMatch(new RegExp(`/images/${id}/download${query("")}`));
    expect(thumbnail.square).toMatch(new RegExp(query("&thumb=1")));
    expect(thumbnail.portrait).toMatch(new RegExp(query("&orientation=p&thumb=1")));
    expect(thumbnail.landscape).toMatch(new RegExp(query("&orientation=l&thumb=1")));
  });
});

describe("scaling of a 400 x 200 picture", () => {
  it.each([
    ["", 400, 200],
    ["width=100", 100, 50],
    ["height=50", 100, 50],
    ["width=333", 333, 167],
    ["width=1", 1, 1],
    ["width=900", 400, 200],
    ["height=900", 400, 200],
    ["scale=50", 200, 100],
    ["scale=12.5", 50, 25],
    ["scale=200", 400, 200],
    ["width=100&height=100", 100, 100],
    ["width=900&height=100", 400, 100],
    ["width=900&height=900", 400, 200],
    ["thumb=1", 300, 200],
    ["thumb=p", 300, 200],
    ["thumb=l&width=10", 400, 200],
    ["width=0&height=-3&scale=abc", 400, 200],
  ])("%s gives %i x %i", async (query, width, height) => {
    for (const at of [0, 1]) {
      const { status, type, body } = await bytesOf(`${(await linksOf(at)).web}&${query}`);
      expect([status, type]).toEqual([200, "image/jpeg"]);
      expect(await sizeOf(body)).toEqual([width, height]);
    }
  });

  it("crops from the centre, of pictures stored turned too", async () => {
    for (const at of [0, 1]) {
      const { web } = await linksOf(at);
      const whole = await bytesOf(`${web}&width=200`);
      expect(await colours(whole.body, [0, 45, 55, 145, 155, 199])).toBe("rrggbb");
      const narrow = await bytesOf(`${web}&width=200&height=200`);
      expect(await colours(narrow.body, [0, 100, 199])).toBe("ggg");
      const square = await bytesOf(`${web}&width=60&height=40`);
      expect(await colours(square.body, [1, 30, 58])).toBe("rgb");
      const broad = await bytesOf(`${web}&width=300&height=160`);
      // 320 x 160 after scaling: ten columns are cut off on either side of bands 80 wide.
      expect(await colours(broad.body, [0, 66, 74, 226, 234, 299])).toBe("rrggbb");
    }
  });

  it("uses the thumbnail sizes and the web width it is given", async () => {
    const sizes = { square: [50, 50], portrait: [30, 40], landscape: [40, 30] } as const;
    const small = await start({ thumbs: sizes, web: { width: 160, quality: 50 } });
    const { web, thumbnail } = await linksOf(0, small);
    const size = async (url = "") => sizeOf((await bytesOf(url)).body);
    expect(await size(web)).toEqual([160, 80]);
    expect(await size(thumbnail.square)).toEqual([50, 50]);
    expect(await size(thumbnail.portrait)).toEqual([30, 40]);
    expect(await size(thumbnail.landscape)).toEqual([40, 30]);
    expect(await size(`${web}&thumb=p`)).toEqual([30, 40]);
    expect(await size(`${web}&thumb=l`)).toEqual([40, 30]);
    expect(await size(`${web}&thumb=yes`)).toEqual([50, 50]);
  });

  it("shows the new picture after a change", async () => {
    const changing = await start();
    const { web } = await linksOf(0, changing);
    await bytesOf(web);
    const id = changing.content.images.at(0)?.id ?? "";
    changing.content.images.edit(id, { width: 200, height: 400, read: async () => turned });
    const other = await sharp(upright).rotate(90).png().toBuffer();
    changing.content.images.edit(id, { read: async () => other });
    expect(await sizeOf((await bytesOf(web)).body)).toEqual([200, 400]);
  });

  it("fails with 500 for an image that cannot be decoded, whose original is still there", async () => {
    const images = [imageOf(0, Buffer.from("no picture"), { width: 0, height: 0 })];
    const broken = await start({ content: smallContent({ images }) });
    const { web, download } = await linksOf(0, broken);
    expect((await bytesOf(web)).status).toBe(500);
    expect((await bytesOf(download)).body.toString()).toBe("no picture");
  });
});
