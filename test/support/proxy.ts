import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

export interface Proxy {
  port: number;
  /** What it was asked for, as "GET http://host:port/path" and "CONNECT host:port". */
  asked: string[];
  close(): Promise<void>;
}

/**
 * A forward proxy (RFC 9110, 9.3.6 and 7.4) that takes every host name for this machine.
 *
 * @param login "name:password" that it asks for
 * @param change what becomes of answers in JSON
 */
export async function startProxy(
  login?: string,
  change?: (text: string) => string,
): Promise<Proxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const basic = login && `Basic ${Buffer.from(login).toString("base64")}`;
  const isRefused = (asking: IncomingMessage): boolean => {
    asked.push(`${asking.method} ${asking.url}`);
    return basic !== undefined && asking.headers["proxy-authorization"] !== basic;
  };
  const server = createServer((asking, response) => {
    if (isRefused(asking)) {
      response.writeHead(407).end();
      return;
    }
    const { port, pathname, search } = new URL(asking.url ?? "");
    const { "proxy-authorization": _, ...headers } = asking.headers;
    const onward = request({ host: "127.0.0.1", port, path: pathname + search, headers });
    onward.on("response", async (answer) => {
      const { statusCode = 502, headers } = answer;
      if (change === undefined || headers["content-type"] !== "application/json") {
        response.writeHead(statusCode, answer.rawHeaders);
        answer.pipe(response);
        return;
      }
      const changed = change(await text(answer));
      const { "transfer-encoding": _, ...rest } = headers;
      const length = Buffer.byteLength(changed);
      response.writeHead(statusCode, { ...rest, "content-length": length }).end(changed);
    });
    onward.on("error", () => response.destroy());
    asking.pipe(onward);
  });
  server.on("connect", (asking: IncomingMessage, client: Socket) => {
    if (isRefused(asking)) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const [, port = ""] = (asking.url ?? "").split(":");
    const onward = connect(Number(port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(client).pipe(onward);
    });
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        onward.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
