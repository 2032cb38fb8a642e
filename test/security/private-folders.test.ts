// Another user of the machine, who reads what lies in the output folder; and a picture that controls its decoder, which
// reads the environment of the process that started it.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/store.ts";
import { picture } from "../media/fixture.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-private-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.skipIf(process.platform === "win32")("the store", () => {
  it("is made for its user alone", () => {
    const store = join(folder, "new", "store");
    openStore(store).close();
    expect(modeOf(store)).toBe("700");
    // A web server has to reach the publish root, which lies beside it.
    expect(modeOf(join(folder, "new"))).not.toBe("700");
  });

  it.each([0o755, 0o777, 0o750, 0o707])("that others can read is closed to them: %o", (mode) => {
    const store = join(folder, `old-${mode}`);
    mkdirSync(store);
    chmodSync(store, mode);
    openStore(store, { readOnly: true }).close();
    expect(modeOf(store)).toBe(mode.toString(8));
    openStore(store).close();
    expect(modeOf(store)).toBe("700");
  });
});

describe.skipIf(process.platform !== "linux")("the environment of a process with decoders", () => {
  it("shows no secret to them, and keeps it for the process itself", async () => {
    const original = join(folder, "original.jpg");
    writeFileSync(original, await picture(1));
    const program = `
      import { readFileSync } from "node:fs";
      import { createDecoders } from ${JSON.stringify(new URL("../../src/media/decoders.ts", import.meta.url))};
      const before = readFileSync("/proc/self/environ", "latin1");
      const pool = createDecoders({ slots: 1 });
      await pool.inspect(${JSON.stringify(original)});
      const [decoder] = readFileSync(\`/proc/self/task/\${process.pid}/children\`, "utf8").split(" ");
      const [, ppid] = readFileSync(\`/proc/\${decoder}/stat\`, "utf8").split(") ")[1].split(" ");
      const after = readFileSync(\`/proc/\${ppid}/environ\`, "latin1");
      await pool.close();
      const { TOKEN, EMPTY, AWS_SECRET_ACCESS_KEY, PATH } = process.env;
      console.log(JSON.stringify({ before, after, own: { TOKEN, EMPTY, AWS_SECRET_ACCESS_KEY, PATH } }));`;
    const secrets = { TOKEN: "canary-1=ü=", EMPTY: "", AWS_SECRET_ACCESS_KEY: "canary-2" };
    const { PATH } = process.env;
    const args = ["--import", "tsx", "--input-type=module", "--eval", program];
    const env = { ...secrets, PATH };
    const answer = execFileSync(process.execPath, args, { env, encoding: "utf8" });
    const { before, after, own } = JSON.parse(answer) as Record<string, string>;
    expect(before).toMatch(/canary-1.*canary-2/s);
    expect(after).toContain(`PATH=${PATH}`);
    expect(after).not.toContain("canary");
    expect(own).toEqual({ ...secrets, PATH });
  });
});
