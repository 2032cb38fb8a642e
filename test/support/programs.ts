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
  if (!found(program)) reportMissing(program);
}

/** Declares a test that is skipped because a program is not installed; in CI it fails, because nothing was tested. */
export function reportMissing(program: string): void {
  it(`needs ${program}`, ({ skip }) => {
    if (process.env.CI) throw new Error(`${program} is not installed; .ci/run installs it`);
    skip(`${program} is not installed`);
  });
}
