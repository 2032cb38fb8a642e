import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { descriptionOf } from "../../src/publish/deploy.ts";
import { inputOf, startHost } from "../hosts/servers.ts";
import { type Press, startPress } from "../support/archive.ts";
import { describeHost, freePort, type RunningHost } from "../support/web-servers.ts";

const example = new URL("../../examples/client.mjs", import.meta.url);

interface Client {
  page(path: string, parameters?: Record<string, string>): Promise<{ data: unknown[] }>;
}
type Measure = (image: { type: string; bytes: Uint8Array }) => Promise<string>;

const { createClient, frontPage, yearInReview, galleries, contactSheet } = (await import(
  example.href
)) as {
  createClient(baseUrl: string, token?: string): Client;
  frontPage(client: Client): Promise<{ sections: unknown[]; tags: unknown[] }>;
  yearInReview(client: Client, year: number): Promise<Record<string, string[]>>;
  galleries(client: Client): Promise<{ announced: number; images: string[] }[]>;
  contactSheet(client: Client, measure: Measure): Promise<unknown[]>;
};

/** What a client sees of an image, however its bytes were made. */
const measure: Measure = async ({ type, bytes }) => {
  const { width, height } = await sharp(bytes).metadata();
  return `${type} ${width}×${height}`;
};

describeHost("nginx", "a client that was written for the service", () => {
  let press: Press;
  let mirror: RunningHost;
  let mirrorUrl: string;

  beforeAll(async () => {
    const port = await freePort();
    press = await startPress({
      size: { articles: 60, galleries: 26, images: 40 },
      config: { site: { url: `http://127.0.0.1:${port}` }, media: { formats: ["jpeg"] } },
    });
    expect((await press.run("snapshot")).code).toBe(0);
    const publicRoot = join(press.out, "public");
    const build = join(realpathSync(publicRoot), "..");
    const input = inputOf(build, descriptionOf(build, "api/v1"));
    mirror = await startHost("nginx", { publicRoot, input, port });
    mirrorUrl = `${mirror.url}/api/v1`;
  });
  afterAll(async () => {
    await mirror.close();
    await press.close();
  });

  it("gets the same from origin and mirror: sections, tags, galleries, pictures, months", async () => {
    const origin = createClient(press.origin.baseUrl, press.origin.tokens.organisation);
    const archive = createClient(mirrorUrl, press.origin.tokens.organisation);
    const front = await frontPage(origin);
    expect(front.sections).toHaveLength(3);
    expect(await frontPage(archive)).toEqual(front);
    const year = await yearInReview(origin, 2024);
    expect(Object.values(year).flat().length).toBeGreaterThan(10);
    expect(await yearInReview(archive, 2024)).toEqual(year);
    const walked = await galleries(origin);
    // More than a page of the index.
    expect(walked).toHaveLength(26);
    expect(walked.some(({ images }) => images.length > 2)).toBe(true);
    expect(await galleries(archive)).toEqual(walked);
    const sheet = await contactSheet(origin, measure);
    expect(sheet.length).toBeGreaterThan(2);
    expect(await contactSheet(archive, measure)).toEqual(sheet);
  });

  it("gets on without the origin, and without a token", async () => {
    const requests = press.origin.requests.length;
    const run = await promisify(execFile)(process.execPath, [example.pathname, mirrorUrl]);
    const printed = JSON.parse(run.stdout) as { front: { sections: unknown[] } };
    expect(printed.front.sections).toHaveLength(3);
    expect(press.origin.requests.length).toBe(requests);
  });
});
