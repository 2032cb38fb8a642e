import { execFileSync } from "node:child_process";

/** Compiles src/ once before the tests, because the command tests run the program as users do. */
export function setup(): void {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}
