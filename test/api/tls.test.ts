import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientOf, serve, serveSecurely, temporaryFolder, token } from "./support.ts";

const query = "expires=1714650000&signature=f00d5ec2e7";

describe("a client of an origin with TLS", () => {
  it("asks with the token, and downloads a link that is written with http", async () => {
    const secure = await serveSecurely((_, response) => response.end("{}"), { trusted: true });
    const client = clientOf(secure.url);
    expect((await client.json(`${secure.url}/tags`)).text).toBe("{}");
    expect(secure.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
    const path = join(temporaryFolder(), "file");
    const link = `${secure.url.replace("https:", "http:")}/1?${query}`;
    expect(await client.download(link, path)).toMatchObject({ bytes: 2 });
  });

  it.each(["json", "download"] as const)("follows no redirect to http: %s", async (method) => {
    const open = await serve((_, response) => response.end("{}"));
    // The same host, so that nothing but the scheme speaks against it.
    const secure = await serveSecurely(
      ({ url }, response) => response.writeHead(302, { location: `${open.url}${url}` }).end(),
      { trusted: true },
    );
    const client = clientOf(secure.url, {
      origin: { allowHosts: [new URL(open.url).host, "127.0.0.1"] },
    });
    const path = join(temporaryFolder(), "file");
    const asked =
      method === "json"
        ? client.json(`${secure.url}/tags`)
        : client.download(`${secure.url}/1?${query}`, path);
    await expect(asked).rejects.toMatchObject({
      status: 302,
      message: expect.stringContaining("is not allowed"),
    });
    expect(open.requests).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  it("refuses a certificate that nobody has signed, at the first attempt", async () => {
    const secure = await serveSecurely((_, response) => response.end("{}"), { trusted: false });
    const client = clientOf(secure.url);
    await expect(client.json(`${secure.url}/tags`)).rejects.toMatchObject({
      status: 0,
      attempts: 1,
      message: expect.stringContaining("SELF_SIGNED"),
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(secure.requests).toEqual([]);
  });
});
