/**
 * Asks for every file of a list, as a download and as JSON, many at once and again and again, and checks what
 * comes. A process of its own, because what this guards against is an exception that no caller can catch: it
 * shows as the exit code.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../../src/api/client.ts";
import { ConfigSchema } from "../../src/config.ts";
import { eachLimited } from "../../src/lib/concurrency.ts";
import { sha256 } from "../../src/lib/digest.ts";

/** A path of the origin, and the SHA-256 of what it leads to. */
export interface Expected {
  path: string;
  digest: string;
}

const { baseUrl, files, rounds } = JSON.parse(process.argv[2] as string) as {
  baseUrl: string;
  files: Expected[];
  rounds: number;
};
const concurrency = 16;
const config = ConfigSchema.parse({
  origin: { baseUrl, rate: { requests: 1_000_000, perSeconds: 1 } },
  crawl: { concurrency },
});
const client = createClient({
  config,
  token: "secret-token-7f3c",
  limits: { firstDelayMs: 1, maxJsonBytes: 250_000, maxDownloadBytes: 250_000 },
});
const folder = mkdtempSync(join(tmpdir(), "stillpress-close-"));
const outcomes: Record<string, number> = {};

function count(outcome: string): void {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

for (let round = 0; round < rounds; round++) {
  await eachLimited(files.entries(), concurrency, async ([n, { path, digest }]) => {
    const to = join(folder, String(n));
    try {
      await client.download(baseUrl + path, to);
      count(sha256(readFileSync(to)) === digest ? "downloaded" : "damaged");
    } catch {
      count(existsSync(to) ? "left behind" : "failed");
    }
    rmSync(to, { force: true });
    const text = await client.json(baseUrl + path).then(
      (answer) => answer.text,
      () => undefined,
    );
    if (text === undefined) count("json failed");
    else count(sha256(text) === digest ? "json read" : "json damaged");
  });
}
await client.close();
rmSync(folder, { recursive: true });
process.stdout.write(JSON.stringify(outcomes));
