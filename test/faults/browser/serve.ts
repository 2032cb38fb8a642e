import { type Run, stillpress } from "../../support/archive.ts";

/** The command `serve`, running. */
export interface Served {
  /** Without a slash at the end. */
  url: string;
  pid: number;
  /** Ends it, and gives what it said until then. */
  stop(): Promise<Run>;
}

/** Starts `serve` on a free port. Rejects with what it says where it ends at once. */
export function startServe(
  configFile: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Served> {
  return new Promise((resolve, reject) => {
    const all = ["serve", "--config", configFile, "--port", "0", "--json", ...args];
    const run = stillpress(all, {
      env,
      started(child) {
        child.stdout?.on("data", (text: Buffer | string) => {
          const url = /"url":\s*"([^"]+)"/.exec(String(text))?.[1];
          if (url === undefined || child.pid === undefined) return;
          const stop = (): Promise<Run> => {
            child.kill("SIGTERM");
            return run;
          };
          resolve({ url, pid: child.pid, stop });
        });
      },
    });
    run.then(({ stderr }) => reject(new Error(`serve ended: ${stderr}`)), reject);
  });
}
