import { describe, expect, it, onTestFinished } from "vitest";
import { createServerClient } from "../../src/compare/fetch.ts";
import { serve, serveRaw } from "../api/support.ts";

async function failureAt(url: string): Promise<string | undefined> {
  const server = createServerClient(url);
  onTestFinished(() => server.close());
  return (await server.ask(url)).failed;
}

describe("a server that gives no answer", () => {
  it("is told with our words, or with the system's where we have none", async () => {
    const mail = await serveRaw((socket) => socket.end("220 mail.example.org ESMTP\r\n\r\n"));
    expect(await failureAt(mail.url)).toContain("does not match the HTTP/1.1 protocol");
    const silent = await serveRaw((socket) => socket.end());
    expect(await failureAt(silent.url)).toBe("connection closed before the answer was complete");
  });

  it("is told with its redirect where that leads nowhere", async () => {
    const server = await serve((_, response) =>
      response.writeHead(302, { location: "http://[bad" }).end(),
    );
    expect(await failureAt(server.url)).toContain("Invalid URL");
  });
});
