import { functionConfiguration, functionStart } from "./functions.ts";
import { constantFile, type HostConfiguration, type HostInput } from "./host.ts";
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
    files: [constantFile("cloudflare/wrangler.jsonc"), { path: "worker.js", content: worker }],
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
