import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServerClient } from "../../src/compare/fetch.ts";
import { startProxy } from "../support/proxy.ts";
import { clientOf, serve, serveSecurely, temporaryFolder } from "./support.ts";

/*
 * The variables are those of curl ("Environment" in curl(1)): a name in NO_PROXY stands for its subdomains, too. Hosts
 * under "test" (RFC 6761) exist for the proxy only.
 */

const variables = [
  "http_proxy",
  "HTTP_PROXY",
  "https_proxy",
  "HTTPS_PROXY",
  "no_proxy",
  "NO_PROXY",
];

/** Sets variables until the end of the test, and takes away those of this machine. */
function setVariables(values: Record<string, string>): void {
  const before = variables.map((name) => [name, process.env[name]] as const);
  for (const name of variables) delete process.env[name];
  Object.assign(process.env, values);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

async function proxied(login?: string) {
  const proxy = await startProxy(login);
  onTestFinished(() => proxy.close());
  return proxy;
}

const named = (url: string, host: string): string => url.replace("127.0.0.1", host);

describe("a client behind a proxy", () => {
  it.each(["http_proxy", "HTTP_PROXY"])(
    "asks an http origin through %s, without a tunnel",
    async (variable) => {
      const origin = await serve((_, response) => response.end("{}"));
      const proxy = await proxied();
      setVariables({ [variable]: `http://127.0.0.1:${proxy.port}` });
      const base = named(origin.url, "media.test");
      const client = clientOf(base);
      expect((await client.json(`${base}/tags`)).text).toBe("{}");
      await client.download(`${base}/1.jpg?signature=0123abcd`, join(temporaryFolder(), "file"));
      expect(proxy.asked).toEqual([`GET ${base}/tags`, `GET ${base}/1.jpg?signature=0123abcd`]);
      expect(origin.requests.map(({ headers }) => headers.host)).toEqual([
        new URL(base).host,
        new URL(base).host,
      ]);
    },
  );

  it("asks an https origin through a tunnel", async () => {
    const origin = await serveSecurely((_, response) => response.end("{}"), { trusted: true });
    const proxy = await proxied();
    setVariables({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const base = named(origin.url, "media.test");
    expect((await clientOf(base).json(`${base}/tags`)).text).toBe("{}");
    expect(proxy.asked).toEqual([`CONNECT ${new URL(base).host}`]);
  });

  it("compares through it as well", async () => {
    const mirror = await serve((_, response) => response.end("{}"));
    const proxy = await proxied();
    setVariables({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
    const base = named(mirror.url, "mirror.test");
    const client = createServerClient(base);
    onTestFinished(() => client.close());
    expect(await client.ask(`${base}/tags.json`)).toMatchObject({ status: 200, size: 2 });
    expect(proxy.asked).toEqual([`GET ${base}/tags.json`]);
  });

  it.each([
    ["a name", "localhost", "localhost"],
    ["an address of this machine", "127.0.0.1", ""],
    ["what NO_PROXY lists", "127.0.0.1", "other.test,127.0.0.1"],
    ["everything, with an asterisk", "127.0.0.1", "*"],
  ])("is asked directly: %s", async (_, host, noProxy) => {
    const origin = await serve((_, response) => response.end("{}"));
    const proxy = await proxied();
    setVariables({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: noProxy });
    const base = named(origin.url, host);
    expect((await clientOf(base).json(`${base}/tags`)).text).toBe("{}");
    expect(proxy.asked).toEqual([]);
  });

  it.each(["http", "https"] as const)(
    "gives the proxy its password, and says if it is wrong: %s",
    async (scheme) => {
      const origin =
        scheme === "http"
          ? await serve((_, response) => response.end("{}"))
          : await serveSecurely((_, response) => response.end("{}"), { trusted: true });
      const proxy = await proxied("nightly:p@ss-of-the-proxy");
      const base = named(origin.url, "media.test");
      const through = (login: string) => ({
        [`${scheme.toUpperCase()}_PROXY`]: `http://${login}@127.0.0.1:${proxy.port}`,
      });
      setVariables(through("nightly:p%40ss-of-the-proxy"));
      expect((await clientOf(base).json(`${base}/tags`)).text).toBe("{}");
      expect(origin.requests[0]?.headers["proxy-authorization"]).toBeUndefined();

      setVariables(through("nightly:wrong"));
      const error = await clientOf(base)
        .json(`${base}/tags`)
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        attempts: 1,
        message: expect.stringContaining("407"),
        hint: expect.stringContaining("HTTPS_PROXY"),
      });
      expect(String(error)).not.toContain("wrong");
    },
  );

  it("names the proxy where it cannot be reached", async () => {
    const gone = await startProxy();
    await gone.close();
    setVariables({ HTTP_PROXY: `http://127.0.0.1:${gone.port}` });
    await expect(
      clientOf("http://media.test").json("http://media.test/tags"),
    ).rejects.toMatchObject({
      hint: expect.stringContaining("HTTP_PROXY"),
    });
  });

  it.each(["proxy.example.org:3128", "ftp://proxy.example.org", "http://"])(
    "refuses what is no proxy, without repeating it: %s",
    (value) => {
      setVariables({ HTTPS_PROXY: value });
      expect(() => clientOf("http://media.test")).toThrow(/^HTTPS_PROXY names no proxy$/);
    },
  );
});
