import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PublishSummary, publishArchive } from "../../src/cli/publish.ts";
import { targetOf } from "../../src/cli/target.ts";
import { silent } from "../../src/lib/reporter.ts";
import { makeConfig } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";

export interface Uploading extends Publishing {
  /** Publishes as the command does. */
  publish(target: string, options?: Partial<PublishTest>): Promise<PublishSummary>;
  /** The list of the last publish. */
  changes(): { addresses: string[]; told: boolean };
  /** A folder of its own. */
  folder(): string;
}

interface PublishTest {
  dryRun: boolean;
  check: boolean;
  allowDeletions: boolean;
  force: boolean;
  sections: Record<string, unknown>;
  signal: AbortSignal;
}

/** A small store, what is published of it, and how that is published elsewhere. */
export function startUploading(): Uploading {
  const publishing = startPublishing();
  const folders: string[] = [];
  const { out } = publishing;
  return {
    ...publishing,
    publish(name, { sections = {}, ...options } = {}) {
      const config = makeConfig(sections);
      const place = targetOf(name, config, out);
      const usual = { dryRun: false, check: false, allowDeletions: false, force: false };
      const { signal } = new AbortController();
      return publishArchive({ ...usual, signal, ...options, out, config, place, reporter: silent });
    },
    changes: () => JSON.parse(readFileSync(join(out, "changes.json"), "utf8")),
    folder() {
      const made = mkdtempSync(join(tmpdir(), "stillpress-target-"));
      folders.push(made);
      return made;
    },
    close() {
      publishing.close();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sets variables until the returned function is called. */
export function withVariables(variables: Record<string, string>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
