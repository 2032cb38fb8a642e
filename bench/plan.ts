/**
 * How well `stillpress plan` foretells a first snapshot.
 *
 *     plan [--articles 120] [--rate 50] [--personality plain]
 *
 * A demo origin runs in this process; `plan` and then `snapshot` run as a user runs them, at a rate in requests a second.
 * Each row is what was foretold, what came, and the ratio of the two. Without a personality, all of them are tried. No
 * rendition but the thumbnails and the web version is made, because the demo's pictures repeat, and a copy costs no time.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { personalities } from "../src/demo/options.ts";
import { generateContent, generated } from "../test/support/content.ts";
import { startOrigin } from "../test/support/origin.ts";

const { values } = parseArgs({
  options: {
    articles: { type: "string", default: "120" },
    rate: { type: "string", default: "50" },
    personality: { type: "string" },
  },
});
const articles = Number(values.articles);
const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

type Name = keyof typeof personalities;

/** Members of what `plan` and `snapshot` print. */
interface Outcome {
  requests: number;
  seconds?: number;
  files: number;
  output: { files: number };
}

/** Runs a command and returns what it prints with --json. */
function run(args: readonly string[], token: string): Promise<Outcome> {
  const env = { ...process.env, STILLPRESS_TOKEN: token };
  return new Promise((done, fail) => {
    execFile(process.execPath, [cli, ...args], { env, maxBuffer: 1e9 }, (error, stdout) =>
      error === null ? done(JSON.parse(stdout)) : fail(error),
    );
  });
}

async function compare(name: Name): Promise<void> {
  const size = {
    articles,
    galleries: Math.round(articles / 8),
    images: Math.round(articles * 1.7),
  };
  const content = await generateContent({ ...size, seed: 1, ...generated[name] });
  const origin = await startOrigin({ ...personalities[name], rate: null, content });
  const folder = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
  const file = join(folder, "stillpress.json");
  const { paths, timezone, bodyField } = { timezone: "UTC", ...personalities[name] };
  const rate = { requests: Number(values.rate), perSeconds: 1 };
  const media = { variants: [], formats: ["jpeg"] };
  const settings = { baseUrl: origin.baseUrl, paths, timezone, bodyField, rate };
  writeFileSync(file, JSON.stringify({ origin: settings, media, out: join(folder, "out") }));
  const args = ["--config", file, "--json"];
  try {
    const { organisation } = origin.tokens;
    const foretold = await run(["plan", ...args], organisation);
    const begun = performance.now();
    const came = await run(["snapshot", ...args], organisation);
    const rows = {
      requests: [foretold.requests, came.requests],
      files: [foretold.files, came.output.files],
      seconds: [foretold.seconds, (performance.now() - begun) / 1000],
    };
    for (const [what, [told = 0, real = 0]] of Object.entries(rows)) {
      const figures = [told, Math.round(real)].map((figure) => String(figure).padStart(9));
      process.stdout.write(
        `${name.padEnd(8)} ${String(articles).padStart(6)} articles ${what.padEnd(9)} ${figures.join(" ")}  ${(told / real).toFixed(3)}\n`,
      );
    }
  } finally {
    await origin.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = values.personality === undefined ? Object.keys(personalities) : [values.personality];
for (const name of names) await compare(name as Name);
