import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

/*
 * npm links the commands of dependencies, not that of the package itself. With this link, which "prepare" makes,
 * `npx stillpress` runs the compiled command in a clone of the repository.
 */
const folder = new URL("../node_modules/.bin/", import.meta.url);
const command = new URL("../dist/cli/main.js", import.meta.url);

mkdirSync(folder, { recursive: true });
chmodSync(command, 0o755);
if (process.platform === "win32") {
  writeFileSync(
    new URL("stillpress.cmd", folder),
    '@node "%~dp0\\..\\..\\dist\\cli\\main.js" %*\r\n',
  );
} else {
  const link = new URL("stillpress", folder);
  rmSync(link, { force: true });
  symlinkSync("../../dist/cli/main.js", link);
}
