import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped, sizeLimits } from "./limits.ts";

/** developers.cloudflare.com/workers/platform/limits, "Static Assets" */
export const mostFiles = { free: 20_000, paid: 100_000 };
const largestFile = 25 * 2 ** 20;

/**
 * A Worker with static assets: all requests go to the handler that `stillpress serve` uses, which reads the files
 * from the assets binding. To be deployed from this folder with `npx wrangler deploy`.
 */
export function cloudflareConfiguration(input: HostInput): HostConfiguration {
  return {
    files: [
      { path: "wrangler.jsonc", content: wrangler },
      { path: "worker.js", content: worker(input) },
      ...input.modules.map(({ path, content }) => ({ path: `stillpress/${path}`, content })),
    ],
    ...limitsFor(input),
    runsHandler: true,
  };
}

const wrangler = `{
  // Written by stillpress. Deploy from this folder: npx wrangler deploy
  "$schema": "https://www.unpkg.com/wrangler/config-schema.json",
  "name": "stillpress",
  "main": "worker.js",
  "compatibility_date": "2025-09-01",
  "compatibility_flags": ["nodejs_compat"],
  "assets": {
    // The publish root.
    "directory": "../../public",
    "binding": "ASSETS",
    // Pages are linked by their file names; folders and pages that are not found are the Worker's part.
    "html_handling": "none",
    "not_found_handling": "none",
    "run_worker_first": true,
  },
}
`;

function worker({ rules }: HostInput): string {
  return `// Written by stillpress: answers requests for the archive from its files.
import { createHandler } from "./stillpress/serve/handler.js";

/** Kept between requests, with what was read of the archive. */
let handler;

export default {
  fetch(request, env) {
    handler ??= createHandler({
      files: { open: (path) => open(env.ASSETS, path) },
      root: ${JSON.stringify(rules.root)},
    });
    return handler(request);
  },
};

/** A file of the archive. It is read whole, because its length is not told before; none is larger than 25 MiB. */
async function open(assets, path) {
  const url = new URL("/" + path.split("/").map(encodeURIComponent).join("/"), "https://assets.local");
  const answer = await assets.fetch(new Request(url));
  const content = new Uint8Array(await answer.arrayBuffer());
  if (answer.status !== 200) return undefined;
  return {
    bytes: content.length,
    etag: (answer.headers.get("etag") ?? "").replace(/^W\\/|"/g, ""),
    type: answer.headers.get("content-type") ?? "application/octet-stream",
    text: async () => new TextDecoder().decode(content),
    body: async (range) => (range ? content.subarray(range.start, range.end + 1) : content),
  };
}
`;
}

function limitsFor({ totals, modules, rules }: HostInput) {
  const { files, largest } = totals;
  const has = `this archive has ${grouped(files)}`;
  return {
    limits: [
      ...sizeLimits(rules.slots, "boxes"),
      // developers.cloudflare.com/workers/platform/limits, "Daily requests" and "CPU time"
      "every request runs the Worker, and the free plan has 100,000 of them a day with 10 ms of CPU each",
      "steps out of a folder are resolved before the Worker sees them, instead of being refused with 400",
      files > mostFiles.free &&
        files <= mostFiles.paid &&
        `the free plan takes ${grouped(mostFiles.free)} files, and ${has}: a paid plan is needed`,
    ].filter((limit) => limit !== false),
    exceeded: [
      modules.length === 0 &&
        "the handler's compiled modules were not found, without which the Worker cannot run",
      files > mostFiles.paid && `Workers take ${grouped(mostFiles.paid)} files, and ${has}`,
      largest.bytes > largestFile &&
        `Workers take files up to 25 MiB, and ${largest.path} has ${grouped(largest.bytes)} bytes`,
    ].filter((limit) => limit !== false),
  };
}
