import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { orUndefined } from "./or-undefined.ts";

/** Where /proc/self/stat tells the address of the environment, counted from behind the program's name. */
const startField = 47;

/**
 * Empties the values of environment variables in the memory that `/proc/{pid}/environ` shows to all processes of the
 * user: unsetting a variable leaves them there. `process.env` keeps them. Only Linux has this file.
 *
 * @param isShown which variables stay
 */
export function hideEnvironment(isShown: (name: string) => boolean): void {
  orUndefined(() => {
    const stat = readFileSync("/proc/self/stat", "latin1");
    const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[startField]);
    const memory = openSync("/proc/self/mem", "r+");
    let at = start;
    for (const entry of readFileSync("/proc/self/environ", "latin1").split("\0")) {
      const [name = ""] = entry.split("=", 1);
      const length = entry.length - name.length - 1;
      if (length > 0 && !isShown(name)) {
        const value = process.env[name];
        writeSync(memory, new Uint8Array(length), 0, length, at + name.length + 1);
        // The system copies it to another place.
        if (value !== undefined) process.env[name] = value;
      }
      at += entry.length + 1;
    }
    closeSync(memory);
  });
}
