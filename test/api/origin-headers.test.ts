import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { clientOf, serve, temporaryFolder } from "./support.ts";

const headers = { "X-Gateway-Key": "let-me-in-4711", "User-Agent": "archive (web@example.org)" };

describe("origin.headers", () => {
  it("go with every request to the API's host, and only the User-Agent elsewhere", async () => {
    const cdn = await serve((_, response) => response.end("file"));
    const origin = await serve(({ url }, response) => {
      if (url?.startsWith("/moved")) response.writeHead(302, { location: `${cdn.url}/x` }).end();
      else response.end("{}");
    });
    const allowHosts = [new URL(cdn.url).host];
    const client = clientOf(origin.url, { origin: { headers, allowHosts } });
    const path = join(temporaryFolder(), "file");
    await client.json(`${origin.url}/tags`);
    for (const link of [`${origin.url}/1.jpg`, `${origin.url}/moved.jpg`, `${cdn.url}/2.jpg`]) {
      await client.download(link, path);
    }
    const seen = (server: typeof origin) =>
      server.requests.map((request) => [
        request.url,
        request.headers["x-gateway-key"],
        request.headers["user-agent"],
      ]);
    const [key, agent] = Object.values(headers);
    expect(seen(origin)).toEqual([
      ["/tags", key, agent],
      ["/1.jpg", key, agent],
      ["/moved.jpg", key, agent],
    ]);
    expect(seen(cdn)).toEqual([
      ["/x", undefined, agent],
      ["/2.jpg", undefined, agent],
    ]);
  });

  it.each([
    // RFC 9110, 5.1 and 5.5: what a name and a value are made of.
    [{ "X Key": "x" }, /name of a header/],
    [{ "X-Key": "a\r\nAuthorization: b" }, /printable ASCII/],
    [{ "X-Key": "ключ" }, /printable ASCII/],
    [{ Authorization: "Bearer x" }, /does not set itself/],
    [{ "proxy-authorization": "Basic x" }, /does not set itself/],
    [{ HOST: "other.test" }, /does not set itself/],
    [{ "If-None-Match": "*" }, /does not set itself/],
  ])("are refused: %j", (wrong, message) => {
    const origin = { baseUrl: "http://media.test", headers: wrong };
    const { error } = ConfigSchema.safeParse({ origin });
    expect(error?.issues.map((issue) => JSON.stringify(issue))).toEqual([
      expect.stringMatching(message),
    ]);
  });
});
