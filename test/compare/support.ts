import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

const command = new URL("../../dist/cli/main.js", import.meta.url).pathname;

export interface Served {
  /** Without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** `stillpress serve` on a free port. */
export async function serve(out: string): Promise<Served> {
  const child: ChildProcess = spawn(
    process.execPath,
    [command, "serve", "--out", out, "--port", "0"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });
  return {
    url,
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** An answer on its way through a proxy. */
export interface Passing {
  /** Path and query. */
  target: string;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface ProxyServer extends Served {
  /** What was asked, in order. */
  requests: { target: string; headers: IncomingHttpHeaders }[];
}

/** A server that passes requests on to another one and changes some of its answers. */
export async function startProxy(
  behind: string,
  change: (answer: Passing) => Passing | Promise<Passing> = (answer) => answer,
): Promise<ProxyServer> {
  const requests: ProxyServer["requests"] = [];
  async function ask(target: string): Promise<Passing> {
    const answer = await fetch(behind + target, { redirect: "manual" });
    const headers: Passing["headers"] = {};
    for (const name of ["content-type", "location"]) {
      const value = answer.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    const body = Buffer.from(await answer.arrayBuffer());
    return { target, status: answer.status, headers, body };
  }

  async function answer(request: IncomingMessage): Promise<Passing> {
    const { url: target = "", headers } = request;
    requests.push({ target, headers });
    const passing = await ask(target);
    // Links of the server behind are those of this one.
    if (/json|html/.test(passing.headers["content-type"] ?? "")) {
      const text = passing.body.toString().replaceAll(behind, `http://${headers.host}`);
      passing.body = Buffer.from(text);
    }
    return await change(passing);
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A change of JSON answers to requests whose path and query fit; the others stay as they are. */
export function changeJson(
  pattern: RegExp,
  // biome-ignore lint/suspicious/noExplicitAny: the test knows the form of the answers
  change: (value: any) => void,
): (answer: Passing) => Passing {
  return (answer) => {
    const type = answer.headers["content-type"] ?? "";
    if (answer.status !== 200 || !type.includes("json") || !pattern.test(answer.target)) {
      return answer;
    }
    const value: unknown = JSON.parse(answer.body.toString());
    change(value);
    return { ...answer, body: Buffer.from(JSON.stringify(value)) };
  };
}
