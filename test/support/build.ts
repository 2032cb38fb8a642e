import { execFileSync } from "node:child_process";

/** Compiles src/ once before the tests, because the command tests run the program as users do. */
export function setup(): void {
  execFileSync("npm", ["run", "build", "--silent"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
