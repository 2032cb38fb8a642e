import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Compiles src/ once before the tests, because the command tests run the program as users do, and makes a folder for
 * what test files share. Returns what removes the folder.
 */
export function setup(): () => void {
  // No proxy of this machine knows the names under which tests reach it.
  for (const name of Object.keys(process.env)) {
    if (/^(?:https?|no)_proxy$/i.test(name)) delete process.env[name];
  }
  execFileSync("npm", ["run", "build", "--silent"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  const shared = mkdtempSync(join(tmpdir(), "stillpress-shared-"));
  process.env.TESTS_SHARE = shared;
  return () => rmSync(shared, { recursive: true, force: true });
}
