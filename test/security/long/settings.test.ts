// An author, with the name of a member of his article, or with the host of a link in it, that `init` writes down.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { temporaryFolder } from "../../store/support.ts";
import { stillpress } from "../../support/archive.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** What each request carried. */
let sent: { url: string; token: string }[] = [];

/** An origin with one article, and with one image if it is given. */
async function startOrigin(article: object, image?: object): Promise<string> {
  sent = [];
  const time = "2024-05-02T10:00:00Z";
  const listOf = (...data: object[]) => ({
    meta: { page: 1, per_page: 20, total: data.length, total_pages: 1 },
    links: {},
    data,
  });
  const shared = { id: "7f3c", title: "An article", slug: "an-article", published_at: time };
  const answers: Record<string, object> = {
    "/articles": listOf(shared),
    "/articles/7f3c": { ...shared, ...article },
    "/galleries": listOf(),
    "/images": image ? listOf({ id: "i1", title: "An image", ...image }) : listOf(),
    "/categories": { data: [] },
    "/tags": { data: [] },
  };
  const answer: RequestListener = ({ url = "", headers }, response) => {
    sent.push({ url, token: headers.authorization ?? "" });
    const found = answers[url.split("?")[0] as string];
    response.writeHead(found ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(found ?? { error: "not found" }));
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const env = {
  STILLPRESS_TOKEN: "a-token-of-the-tests",
  AWS_SECRET_ACCESS_KEY: "an-aws-secret-of-tests",
};

async function init(baseUrl: string, ...args: string[]) {
  const file = join(temporaryFolder(), "stillpress.json");
  const run = await stillpress(["init", "--base-url", baseUrl, "--config", file, ...args], { env });
  return { ...run, file, text: existsSync(file) ? readFileSync(file, "utf8") : "" };
}

const steering =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;
const settings = '"tokenEnv": "AWS_SECRET_ACCESS_KEY", "allowHosts": ["169.254.169.254"],';

describe("a name of a member", () => {
  it.each([
    ["a line break", `x\n${settings}//`],
    ["a carriage return", `x\r${settings}//`],
    ["both", `x\r\n${settings}//`],
    ["a separator of lines", `x\u2028${settings}//`],
    ["an end of a comment", `x */ ${settings} /*`],
  ])("with %s becomes no setting", async (_, name) => {
    const baseUrl = await startOrigin({ [name]: 1 });
    const { code, file } = await init(baseUrl);
    // The body was not found, which is to be filled in.
    expect(code).toBe(3);
    const { origin } = loadConfig({ file, env: {} }).config;
    expect(origin.tokenEnv).toBe("STILLPRESS_TOKEN");
    expect(origin.allowHosts).toEqual([]);
    await stillpress(["doctor", "--config", file], { env });
    expect(sent.filter(({ token }) => token.includes(env.AWS_SECRET_ACCESS_KEY))).toEqual([]);
  });

  it("that is long leaves the file short", async () => {
    const { code, text } = await init(await startOrigin({ ["x".repeat(900_000)]: 1 }));
    expect([code, text.length < 5_000]).toEqual([3, true]);
  });

  it("steers no terminal through init and doctor, nor what --json gives", async () => {
    const name = "x\x1b[2J\u009b2J\u202etxt\u2066\u200f\x07\r\ny";
    const baseUrl = await startOrigin({ [name]: 1 });
    const { file, ...run } = await init(baseUrl);
    const others = [
      run,
      await init(baseUrl, "--json"),
      await stillpress(["doctor", "--config", file], { env }),
      await stillpress(["doctor", "--config", file, "--json"], { env }),
    ];
    for (const { code, stdout, stderr } of others) {
      expect(code).toBe(3);
      expect(stdout + stderr).not.toMatch(steering);
    }
    expect(run.text).not.toMatch(steering);
  });
});

describe("the host of a link", () => {
  const download = (host: string) => ({ links: { download: `https://${host}/a.jpg` } });

  it("at another name is a host of files", async () => {
    const { file } = await init(
      await startOrigin({ body: "<p>x</p>" }, download("cdn.example.org")),
    );
    expect(loadConfig({ file, env: {} }).config.origin.allowHosts).toEqual(["cdn.example.org"]);
  });

  it.each(["169.254.169.254", "[::1]", "[fd00::1]", "2852039166", '"x', "{x}", "a'b(c)", "x,y"])(
    "%s leaves a configuration that commands take, without it",
    async (host) => {
      const { file } = await init(await startOrigin({ body: "<p>x</p>" }, download(host)));
      expect(loadConfig({ file, env: {} }).config.origin.allowHosts).toEqual([]);
    },
  );
});

describe("the variable of the token", () => {
  it.each(["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NPM_TOKEN", "aws_session_token"])(
    "is never %s, which is another service's: nothing is sent",
    async (tokenEnv) => {
      const baseUrl = await startOrigin({ body: "<p>x</p>" });
      const name = join(temporaryFolder(), "downloaded.json");
      writeFileSync(name, JSON.stringify({ origin: { baseUrl, tokenEnv } }));
      const all = { ...env, [tokenEnv]: "a-secret-of-another-service" };
      const { code, stderr } = await stillpress(["doctor", "--config", name], { env: all });
      expect([code, stderr]).toEqual([2, expect.stringContaining("origin.tokenEnv")]);
      expect(sent).toEqual([]);
    },
  );
});
