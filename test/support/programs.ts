import { execFileSync } from "node:child_process";
import { it } from "vitest";

/** Whether a program is installed on this machine. */
export function found(program: string): boolean {
  try {
    execFileSync("/bin/sh", ["-c", `command -v "${program}"`], {
      stdio: "ignore",
      env: { PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` },
    });
    return true;
  } catch {
    return false;
  }
}

/**
 * Declares a test that tells whether a program is there. Without it, what needs it is left out, visibly; in CI
 * that is a failure.
 */
export function requireProgram(program: string): void {
  if (found(program)) return;
  if (process.env.CI !== undefined) {
    it(`needs ${program}`, () => {
      throw new Error(`${program} is not installed; .ci/run installs it`);
    });
  } else {
    console.warn(`NOT TESTED: ${program} is not installed`);
    it.skip(`needs ${program}, which is not installed`, () => {});
  }
}
