import { masked } from "./masked.ts";

/** The command line of this run, to be pasted into a shell. */
export function commandLine(args: readonly string[] = process.argv.slice(2)): string {
  return masked(["npx stillpress", ...args.map(quoted)].join(" "));
}

/** A hint whose commands can be pasted: with npx, and with the --config and --out of this run. */
export function pasteable(hint: string, args: readonly string[] = process.argv.slice(2)): string {
  const used = ["--config", "--out"].flatMap((name) => {
    const inline = args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
    const value = inline ?? (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
    return value === undefined ? [] : [` ${name} ${quoted(value)}`];
  });
  return hint.replace(
    /(?:npx )?\bstillpress (snapshot|crawl|media|build|repair|rollback|doctor|init|hosts)\b/g,
    (_, command: string) => `npx stillpress ${command}${used.join("")}`,
  );
}

function quoted(text: string): string {
  return /^[\w./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
