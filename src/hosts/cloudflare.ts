import { functionConfiguration, functionStart } from "./functions.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped } from "./limits.ts";

/** developers.cloudflare.com/workers/platform/limits, "Static Assets" */
export const mostFiles = { free: 20_000, paid: 100_000 };
const largestFile = 25 * 2 ** 20;

/** A Worker with static assets, to be deployed from this folder with `npx wrangler deploy`. */
export function cloudflareConfiguration(input: HostInput): HostConfiguration {
  const { files, largest } = input.totals;
  const has = `this archive has ${grouped(files)}`;
  const worker = `${functionStart("createWorker", [input.rules.root])}
export default { fetch: answer };
`;
  return functionConfiguration(input, {
    files: [
      { path: "wrangler.jsonc", content: wrangler },
      { path: "worker.js", content: worker },
    ],
    limits: [
      // developers.cloudflare.com/workers/platform/limits, "Daily requests" and "CPU time"
      "every request runs the Worker, and the free plan has 100,000 of them a day with 10 ms of CPU each",
      files > mostFiles.free &&
        files <= mostFiles.paid &&
        `the free plan takes ${grouped(mostFiles.free)} files, and ${has}: a paid plan is needed`,
    ],
    exceeded: [
      files > mostFiles.paid && `Workers take ${grouped(mostFiles.paid)} files, and ${has}`,
      largest.bytes > largestFile &&
        `Workers take files up to 25 MiB, and ${largest.path} has ${grouped(largest.bytes)} bytes`,
    ],
  });
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
