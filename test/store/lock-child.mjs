/** Tries for each lock that is named, tells what came of it as JSON, and holds what it got until its input ends. */
import { StillpressError } from "../../dist/errors.js";
import { takeLock } from "../../dist/store/lock.js";

process.stdin.once("data", () => {
  const results = process.argv.slice(2).map((path) => {
    try {
      process.stdin.once("end", takeLock(path));
      return "won";
    } catch (error) {
      return error instanceof StillpressError ? error.exitCode : String(error);
    }
  });
  process.stdout.write(`${JSON.stringify(results)}\n`);
});
process.stdin.setMaxListeners(0);
process.stdout.write("ready\n");
