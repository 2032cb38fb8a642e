// Anybody who can ask `serve` for pictures, with the picture of an author that takes minutes to draw, and with requests
// that he gives up.
import { readdirSync, readFileSync } from "node:fs";
import { type ClientRequest, request as httpRequest } from "node:http";
import sharp from "sharp";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RunningServer, startServer } from "../../../src/serve/server.ts";
import { api, image, otherImage, type Published, publishArchive } from "../served.ts";

const canary = "stillpress-canary-of-the-environment";
/** Each of the filters takes seconds, and each works on what the one before it made. */
const slowSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f" x="0" y="0" width="1"
  height="1">${'<feMorphology operator="dilate" radius="60"/>'.repeat(200)}</filter><rect width="4000" height="4000"
  filter="url(#f)"/></svg>`;

let published: Published;
let server: RunningServer;
let open: ClientRequest[] = [];

beforeEach(async () => {
  process.env.STILLPRESS_TEST_CANARY = canary;
  published = publishArchive();
  const create = { width: 1000, height: 500, channels: 3 as const, background: "#357" };
  const original = (id: string) => `${api.slice(1)}/images/by/download/${id}.png`;
  published.write("1", original(image), slowSvg);
  published.write("1", original(otherImage), await sharp({ create }).png().toBuffer());
  server = await startServer(published);
});
afterEach(async () => {
  delete process.env.STILLPRESS_TEST_CANARY;
  for (const request of open) request.destroy();
  open = [];
  await server.close();
  published.close();
});

/** Asks, and gives what was answered; undefined for a request that was given up. */
function ask(path: string): Promise<{ status: number; headers: object; body: Buffer } | undefined> {
  return new Promise((resolve) => {
    const request = httpRequest({ host: "127.0.0.1", port: server.port, path }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.on("error", () => resolve(undefined)).end();
    open.push(request);
  });
}
const slow = (width: number) => ask(`${api}/images/${image}.jpg?width=${width}`);
const quick = (width: number) => ask(`${api}/images/${otherImage}.jpg?width=${width}`);

/** Processes that decode pictures for this one. */
function decoders(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return Number(isOurs) === process.pid && command.includes("decoder-process");
    } catch {
      return false;
    }
  });
}
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}

it("decodes in processes that do not have what the environment holds", async () => {
  const answered = slow(2001);
  await until(() => decoders().length > 0);
  for (const pid of decoders()) {
    expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toContain(canary);
  }
  open[0]?.destroy();
  expect(await answered).toBeUndefined();
});

it("makes nothing for requests that were given up", async () => {
  const given = [2001, 2002, 2003, 2004].map(slow);
  await until(() => decoders().length === 2);
  // They work on the two first pictures, or are about to.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  for (const request of open) request.destroy();
  expect(await Promise.all(given)).toEqual([undefined, undefined, undefined, undefined]);
  const answer = await quick(333);
  expect(answer?.status).toBe(200);
  expect(await sharp(answer?.body).metadata()).toMatchObject({ width: 333, height: 167 });
});

it("lets a bounded number of requests wait, and answers all others", async () => {
  const given = Array.from({ length: 32 }, (_, at) => slow(2000 + at));
  let later = await quick(334);
  // The last one may come before the others.
  while (later?.status === 200) later = await quick(335);
  expect(later).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
  expect(JSON.parse(String(later?.body))).toEqual({ message: expect.stringMatching(/^Too many/) });
  expect((await ask("/"))?.status).toBe(200);
  expect((await ask(`${api}/articles?page=2`))?.status).toBe(200);
  for (const request of open) request.destroy();
  await Promise.all(given);
  // The server hears a moment later that they are gone.
  let again = await quick(336);
  while (again?.status === 503) again = await quick(336);
  expect(again?.status).toBe(200);
});
