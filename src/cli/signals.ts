import { Interrupted } from "../errors.ts";

const parentCheckMs = 1_000;

/** A signal that aborts on SIGINT, SIGTERM or the end of npm; a second signal ends the process at once. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  onEndOfNpm(() => controller.abort(new Interrupted("SIGTERM")));
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      const reason = new Interrupted(name);
      if (controller.signal.aborted) process.exit(reason.exitCode);
      controller.abort(reason);
    });
  }
  return controller.signal;
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/**
 * Tells when npm, pnpm or yarn has ended before the run that it started: a SIGTERM to `npx stillpress` ends npx and its
 * shell, and neither hands it on.
 */
function onEndOfNpm(end: () => void): void {
  if (process.env.npm_config_user_agent === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, parentCheckMs);
  timer.unref();
}
