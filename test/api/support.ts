import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server,
  type Socket,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ApiClient, type ClientOptions, createClient } from "../../src/api/client.ts";
import { ConfigSchema } from "../../src/config.ts";
import type { Reporter } from "../../src/lib/reporter.ts";

/** A temporary folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface TestServer {
  /** Without a slash at the end. */
  url: string;
  /** Requests in the order of their arrival. */
  requests: IncomingMessage[];
  /** Requests whose answers are sent, or whose connections are closed. */
  readonly answered: number;
}

/** An HTTP server on a free port of 127.0.0.1 until the end of the test. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, index: number) => void,
): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  let answered = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    response.on("close", () => answered++);
    answer(request, response, requests.length - 1);
  });
  onTestFinished(() => server.closeAllConnections());
  const url = await listen(server);
  return {
    url,
    requests,
    get answered() {
      return answered;
    },
  };
}

const certificate = new URL("certificate/", import.meta.url);

/** The same with TLS, and a certificate that nobody has signed, which everybody takes all the same if `trusted`. */
export async function serveSecurely(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { trusted }: { trusted: boolean },
): Promise<Omit<TestServer, "answered">> {
  const key = readFileSync(new URL("localhost.key.pem", certificate));
  const cert = readFileSync(new URL("localhost.pem", certificate));
  const requests: IncomingMessage[] = [];
  const server = createSecureServer({ key, cert }, (request, response) => {
    requests.push(request);
    answer(request, response);
  });
  onTestFinished(() => server.closeAllConnections());
  if (trusted) {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });
  }
  return { url: (await listen(server)).replace("http:", "https:"), requests };
}

/** The same one level below HTTP, for answers that no HTTP server would give. */
export async function serveRaw(
  answer: (socket: Socket, request: string, index: number) => void,
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk;
      if (!head.endsWith("\r\n\r\n")) return;
      const request = head;
      head = "";
      answer(socket, request, requests.push(request) - 1);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: await listen(server), requests };
}

async function listen(server: Server): Promise<string> {
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const token = "secret-token-7f3c";

export interface TestClient extends ApiClient {
  /** What was reported, line by line. */
  log: string[];
}

interface Settings extends Partial<Omit<ClientOptions, "config">> {
  origin?: object;
  crawl?: object;
}

/** A client without an own rate and with short waits, closed at the end of the test. */
export function clientOf(
  baseUrl: string,
  { origin, crawl, ...options }: Settings = {},
): TestClient {
  const config = ConfigSchema.parse({
    origin: { baseUrl, rate: { requests: 1_000_000, perSeconds: 1 }, ...origin },
    crawl: crawl ?? {},
  });
  const log: string[] = [];
  const client = createClient({
    config,
    token,
    reporter: logTo(log),
    ...options,
    limits: { firstDelayMs: 5, ...options.limits },
  });
  onTestFinished(() => client.close());
  return Object.assign(client, { log });
}

function logTo(log: string[]): Reporter {
  const add = (text: string): void => void log.push(text);
  return {
    stage: () => ({ advance() {}, expect() {}, note() {}, end() {} }),
    info: add,
    warn: add,
    problem: ({ subject, reason }) => add(`${subject}: ${reason}`),
  };
}
