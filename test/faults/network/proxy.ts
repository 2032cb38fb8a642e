import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** An answer of the origin, whole. */
export interface Answer {
  status: number;
  /** Names in lower case; without those that frame the body. */
  headers: Record<string, string>;
  body: Buffer;
}

/** One request at the proxy, with the origin's answer to it, which can still be kept back. */
export interface Hit {
  /** Path and query, without what a signature adds; the same request made again has the same name. */
  name: string;
  /** Path and query as sent. */
  url: string;
  answer: Answer;
  /** The client's connection, to be written to raw. */
  socket: Socket;
  proxy: FaultProxy;
}

/** Answers in the origin's place. */
export type Reply = (hit: Hit) => void | Promise<void>;

/** A raw TCP server in front of an origin: it hands answers on, or lets a fault answer. */
export interface FaultProxy {
  readonly port: number;
  readonly baseUrl: string;
  /** Names of the requests since `begin`, in order. */
  readonly asked: readonly string[];
  /** Origin's answers so far, the latest of each name. */
  readonly known: ReadonlyMap<string, Answer>;
  /** Begins to count anew; `choose` names the reply to the nth request (from 1) of a name, if not the origin's. */
  begin(choose?: (name: string, nth: number) => Reply | undefined): void;
  /** Cuts all connections and takes no new one for a while. */
  refuse(ms: number): Promise<void>;
  close(): Promise<void>;
}

export function nameOf(url: string): string {
  return url.replace(/([?&])(?:expires|signature)=[^&]*/g, "$1").replace(/[?&]+$/, "");
}

/** An answer as it goes over the wire. */
export function wireOf({ status, headers, body }: Answer): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} Said\r\n${lines.join("")}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

const framing = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "date",
]);

/** Starts a proxy on a free port; absolute links in JSON answers are made to lead through it. */
export async function startProxy(originUrl: string): Promise<FaultProxy> {
  const origin = new URL(originUrl);
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const known = new Map<string, Answer>();
  let asked: string[] = [];
  let choose: (name: string, nth: number) => Reply | undefined = () => undefined;
  let refusing: Promise<void> | undefined;
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function listen(on: number): Promise<Server> {
    const made = createServer(serve);
    return new Promise((resolve, reject) => {
      made.once("error", reject);
      made.listen(on, "127.0.0.1", () => resolve(made));
    });
  }

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let text = "";
    let before = Promise.resolve();
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
      for (let end = text.indexOf("\r\n\r\n"); end !== -1; end = text.indexOf("\r\n\r\n")) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        before = before.then(() => answer(head, socket)).catch(() => void socket.destroy());
      }
    });
  }

  async function answer(head: string, socket: Socket): Promise<void> {
    const url = head.split(" ", 2)[1] ?? "/";
    const name = nameOf(url);
    asked.push(name);
    const reply = choose(name, asked.filter((one) => one === name).length);
    const authorization = /^authorization: *(.*)$/im.exec(head)?.[1];
    const received = await ask(url, authorization);
    if (received.status === 200) known.set(name, received);
    const hit = { name, url, answer: received, socket, proxy };
    if (reply === undefined) socket.write(wireOf(received));
    else await reply(hit);
  }

  function ask(path: string, authorization: string | undefined): Promise<Answer> {
    const headers = authorization === undefined ? {} : { authorization };
    const { hostname, port: originPort } = origin;
    return new Promise((resolve, reject) => {
      get({ agent, hostname, port: originPort, path, headers }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece)).on("error", reject);
        response.on("end", () => {
          const kept = Object.entries(response.headers).filter(([name]) => !framing.has(name));
          const body = Buffer.concat(pieces);
          const json = response.headers["content-type"]?.includes("json") === true;
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
            body: json ? throughProxy(body) : body,
          });
        });
      }).on("error", reject);
    });
  }

  function throughProxy(body: Buffer): Buffer {
    return Buffer.from(body.toString("utf8").replaceAll(origin.host, `127.0.0.1:${port}`));
  }

  function cut(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  async function pause(ms: number): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
    await sleep(ms);
    server = await listen(port);
  }

  const proxy: FaultProxy = {
    port,
    baseUrl: `http://127.0.0.1:${port}${origin.pathname}`,
    get asked() {
      return asked;
    },
    known,
    begin(chosen = () => undefined) {
      asked = [];
      choose = chosen;
    },
    refuse(ms) {
      refusing ??= pause(ms).finally(() => {
        refusing = undefined;
      });
      return refusing;
    },
    async close() {
      await refusing;
      agent.destroy();
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
  return proxy;
}
