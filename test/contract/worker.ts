import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

interface Worker {
  default: { fetch(request: Request, env: { ASSETS: Assets }): Promise<Response> };
}

interface Assets {
  fetch(request: Request): Promise<Response>;
}

const types: Record<string, string> = {
  ".json": "application/json",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".webm": "video/webm",
  ".pdf": "application/pdf",
  ".wav": "audio/wav",
};

/** The emitted Worker behind a server of this process, with a binding that reads the publish root. */
export async function startWorker(
  publicRoot: string,
  deploy: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const worker = (await import(pathToFileURL(join(deploy, "worker.js")).href)) as Worker;
  const ASSETS: Assets = {
    async fetch({ url }) {
      const path = join(publicRoot, decodeURIComponent(new URL(url).pathname));
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
        return new Response(null, { status: 404 });
      }
      const type = types[extname(path)] ?? "application/octet-stream";
      return new Response(readFileSync(path), { headers: { "Content-Type": type } });
    },
  };
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "", headers } = request;
    const asked = new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
    });
    const answer = await worker.default.fetch(asked, { ASSETS });
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
