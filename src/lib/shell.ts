import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a command of the user's shell, whose output goes to stderr.
 *
 * @param variables that it gets beside those of this process
 * @param hidden names of variables that it does not get
 * @returns how it failed, such as "3" or "SIGTERM"; undefined where it did not
 */
export async function runShell(
  command: string,
  variables: Readonly<Record<string, string>>,
  hidden: readonly string[] = [],
): Promise<string | undefined> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...variables };
  for (const name of hidden) delete env[name];
  const child = spawn(command, { shell: true, env, stdio: ["ignore", 2, 2] });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return code === 0 ? undefined : String(signal ?? code);
}
