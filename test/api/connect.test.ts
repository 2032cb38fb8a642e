import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/errors.ts";
import { clientOf, serve, serveRaw, type TestClient, temporaryFolder } from "./support.ts";

interface Names {
  /** Addresses of each name, for each time it is looked up; the last ones for ever. */
  [name: string]: string[][];
}

/** A resolver that knows these names, and notes which it was asked for. */
function resolver(names: Names): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const turn = asked.filter((each) => each === name).length;
    asked.push(name);
    const answers = names[name] ?? [];
    const found: LookupAddress[] = (answers[Math.min(turn, answers.length - 1)] ?? []).map(
      (address) => ({ address, family: address.includes(":") ? 6 : 4 }),
    );
    const [first] = found;
    if (first === undefined) callback(Object.assign(new Error("none"), { code: "ENOTFOUND" }), "");
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };
  return { lookup, asked };
}

/** What a download of a link ends with; undefined where it is had. */
async function refusalOf(client: TestClient, link: string): Promise<ApiError | undefined> {
  const path = join(temporaryFolder(), "file");
  return await client.download(link, path).then(
    () => undefined,
    (error) => error,
  );
}

const api = "http://api.example/v1";

describe("a link to another host", () => {
  it.each([
    ["127.0.0.1", "loopback"],
    ["::1", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["169.254.169.254", "link-local"],
    ["10.1.2.3", "private"],
    ["fd00::1", "private"],
    ["::ffff:192.168.0.1", "private"],
    ["240.0.0.1", "reserved"],
  ])("is refused where its name leads to %s", async (address, kind) => {
    const { lookup } = resolver({ "api.example": [["93.184.0.1"]], "cdn.example": [[address]] });
    const client = clientOf(api, { lookup, origin: { allowHosts: ["cdn.example"] } });
    const refusal = await refusalOf(client, "http://cdn.example/1.jpg?expires=9&signature=f00d");
    expect(refusal).toBeInstanceOf(ApiError);
    const article = kind === "unspecified" ? "an" : "a";
    expect(refusal?.message).toBe(
      `GET http://cdn.example/1.jpg: cdn.example leads to ${article} ${kind} address`,
    );
    expect(refusal?.hint).toBe(
      `add "${address}" to origin.allowHosts if the service keeps its files there`,
    );
    // Nothing was asked: it says nothing of whether the origin is alive.
    expect(refusal).toMatchObject({ status: 0, attempts: 0, url: "http://cdn.example/1.jpg" });
    expect(client.stats.retries).toBe(0);
  });

  it("is refused where one of several addresses is none to go to", async () => {
    const names = { "api.example": [["93.184.0.1"]], "cdn.example": [["93.184.0.2", "10.0.0.1"]] };
    const { lookup } = resolver(names);
    const client = clientOf(api, { lookup, origin: { allowHosts: ["cdn.example"] } });
    const refusal = await refusalOf(client, "http://cdn.example/1.jpg");
    expect(refusal?.message).toContain("cdn.example leads to a private address");
  });

  it("is refused where an API of the public internet redirects to it", async () => {
    const inside = await serve((_, response) => response.end("secret of the machine"));
    const server = await serve((_, r) =>
      r.writeHead(302, { location: inside.url.replace("127.0.0.1", "cdn.example") }).end(),
    );
    // The API counts as public here although the test keeps it on this machine.
    const names = {
      "api.example": [["127.0.0.1"], ["93.184.0.1"]],
      "cdn.example": [["127.0.0.1"]],
    };
    const { lookup } = resolver(names);
    const base = server.url.replace("127.0.0.1", "api.example");
    const client = clientOf(base, { lookup, origin: { allowHosts: ["cdn.example"] } });
    const refusal = await refusalOf(client, `${base}/1.jpg`);
    expect(refusal?.message).toBe("GET /1.jpg: cdn.example leads to a loopback address");
    expect(server.requests).toHaveLength(1);
    expect(inside.requests).toEqual([]);
  });

  it.each(["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])(
    "is refused where it is an address itself, in whatever spelling: %s",
    async (host) => {
      const refusal = await refusalOf(clientOf(api), `http://${host}/1.jpg`);
      expect(refusal?.message).toContain("host is not in origin.allowHosts");
    },
  );

  it("is followed where the configuration names the very address", async () => {
    const server = await serve((_, response) => response.end("the file"));
    const { lookup } = resolver({
      "api.example": [["93.184.0.1"]],
      "cdn.example": [["127.0.0.1"]],
    });
    const link = server.url.replace("127.0.0.1", "cdn.example");
    const allowHosts = ["cdn.example", "127.0.0.1"];
    expect(await refusalOf(clientOf(api, { lookup, origin: { allowHosts } }), link)).toBe(
      undefined,
    );
    const literal = clientOf(api, { lookup, origin: { allowHosts: [new URL(server.url).host] } });
    expect(await refusalOf(literal, `${server.url}/1`)).toBe(undefined);
    expect(server.requests).toHaveLength(2);
  });

  it("is followed where the API itself has an address of that class, and to no other class", async () => {
    const server = await serve((_, response) => response.end("the file"));
    const names = {
      "api.example": [["127.0.0.5"]],
      "cdn.example": [["127.0.0.1"]],
      "metadata.example": [["169.254.169.254"]],
    };
    const { lookup } = resolver(names);
    const allowHosts = ["cdn.example", "metadata.example"];
    const client = clientOf(api, { lookup, origin: { allowHosts } });
    expect(await refusalOf(client, server.url.replace("127.0.0.1", "cdn.example"))).toBe(undefined);
    const refusal = await refusalOf(client, "http://metadata.example/latest");
    expect(refusal?.message).toContain("metadata.example leads to a link-local address");
  });

  it("is connected to the address that was checked, without a second look-up", async () => {
    const inside = await serve((_, response) => response.end("secret of the machine"));
    const names = {
      "api.example": [["93.184.0.1"]],
      // The name's owner changes its mind after the first answer. Nothing listens at the first address.
      "cdn.example": [["192.88.98.1"], ["127.0.0.1"]],
    };
    const { lookup, asked } = resolver(names);
    const link = inside.url.replace("127.0.0.1", "cdn.example");
    const controller = new AbortController();
    const client = clientOf(api, {
      lookup,
      signal: controller.signal,
      origin: { allowHosts: ["cdn.example"] },
      limits: { idleMs: 100, drainMs: 0, firstDelayMs: 60_000 },
    });
    const refusal = refusalOf(client, link);
    while (client.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error("enough"));
    await refusal;
    expect(asked).toEqual(["cdn.example"]);
    expect(inside.requests).toEqual([]);
  });
});

describe("the API's own host", () => {
  it("may be anywhere", async () => {
    const server = await serve((_, response) => response.end("{}"));
    const { lookup } = resolver({ "api.example": [["127.0.0.1"]] });
    const base = server.url.replace("127.0.0.1", "api.example");
    const client = clientOf(base, { lookup });
    expect((await client.json(`${base}/tags`)).text).toBe("{}");
    expect(await refusalOf(client, `${base}/1.jpg`)).toBe(undefined);
  });

  it("is not found where its name is not known", async () => {
    const { lookup } = resolver({});
    const failure = clientOf(api, { lookup }).json(`${api}/tags`);
    await expect(failure).rejects.toThrow("GET /tags: host not found after 5 attempts");
  });

  it("is reached by any of its addresses", async () => {
    const server = await serveRaw((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    );
    const { lookup } = resolver({ "api.example": [["::1", "127.0.0.1"]] });
    const base = server.url.replace("127.0.0.1", "api.example");
    expect((await clientOf(base, { lookup }).json(`${base}/tags`)).text).toBe("{}");
  });
});
