import { env, environment, type Rule } from "./apache-rules.ts";
import { upperUuid } from "./patterns.ts";
import type { Spelling } from "./segment-lookups.ts";

/*
 * Apache reads .htaccess at every request, so that it must not list the segment of each id and name. Rules make the
 * segment of a value instead: one takes the first character that is escaped in segments, and begins anew.
 */

/** Characters of a value of a query, and bytes of a decoded path, up to which rules make segments of them. */
const [longestSent, longestPath] = [120, 400];
const usual = /^[\w. \u0080-\u{10ffff}-]+$/u;

/** Values have been made segments by `segmentRules` before they are looked for, except for unusual ones. */
export const apacheSpelling: Spelling = {
  held,
  heldOfQuery(value) {
    const longest = encodeURIComponent(value);
    const shortest = longest.replaceAll("%20", "+");
    const forms = [
      ...(shortest.length <= longestSent ? [held(value)] : []),
      ...(longest.length > longestSent ? [value] : []),
    ];
    return [...new Set(forms)];
  },
  plain: "[a-z0-9_-][a-z0-9._-]{0,118}[a-z0-9-]|[a-z0-9-]",
  path: "[\\w \\x80-\\xff-](?:[\\w. \\x80-\\xff-]*[\\w \\x80-\\xff-])?",
  longestPath,
  // Other than `l`, which is the folder of a file already.
  linkKind: "u",
};

function held(value: string): string {
  if (!usual.test(value)) return value;
  if (new RegExp(`^${upperUuid}$`).test(value)) return `${value.toLowerCase()}_u`;
  return [...new TextEncoder().encode(value)]
    .map((byte) => [byte, String.fromCharCode(byte)] as const)
    .map(([byte, char]) => (/[a-z0-9.-]/.test(char) ? char : `_${byte.toString(16)}`))
    .join("");
}

/** Values as they are sent in a query, of no more bytes than a segment has: escapes are those of what is escaped in segments, too. */
const sent = `(?=.{1,${longestSent}}\\z)((?:[\\w.-]|\\+|%(?:20|4[1-9a-fA-F]|5[0-9aAfF]|[89a-fA-F][0-9a-fA-F]))+)\\z`;
/** Ids and paths of links in a decoded path. What is longer is only found where it is its own segment, or listed. */
const decoded = `(?=.{1,${longestPath}}\\z)([\\w./ \\x80-\\xff-]+)\\z`;

/** Rules that come before all others: the loop, which goes on behind as many of the other rules as are told. */
export function loopRules(skipped: number): Rule[] {
  const [todo, done, word, end] = [env("todo"), env("done"), env("word"), env("end")];
  const before = "^([^A-Z_%+]*";
  const step = (pattern: string, more: string): Rule => ({
    conditions: [[todo, `${before})${pattern}(.*)$`]],
    flags: [set("done", `${done}%1${more}`), set("todo", "%2"), "N"],
  });
  const characters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ_"].map((char) =>
    step(char, `_${char.charCodeAt(0).toString(16)}`),
  );
  const loop: Rule[] = [
    {
      conditions: [[todo, `${before}[/&])(${upperUuid})([/&].*)$`]],
      flags: [
        set("done", `${done}%1`),
        set("word", "%2"),
        set("end", "_u"),
        set("todo", "%3"),
        "S=1",
      ],
    },
    {
      conditions: [[todo, `${before})%(..)(.*)$`]],
      flags: [set("done", `${done}%1_`), set("word", "%2"), set("end", ""), set("todo", "%3")],
    },
    {
      conditions: [
        [word, "!^$"],
        ["expr", `tolower(${word}) =~ /^(.*)$/`],
      ],
      flags: [set("done", `${done}%1${end}`), set("word", ""), "N"],
    },
    ...characters,
    step("\\+", "_20"),
  ];
  return [
    { conditions: [[todo, "^$"]], flags: [`S=${loop.length + 1}`] },
    ...loop,
    { conditions: [], flags: [set("done", `${done}${todo}`), set("todo", ""), `S=${skipped}`] },
  ];
}

/**
 * Rules that begin the loop with the values of a request.
 *
 * @param variables with values from the query
 * @param inQuery kinds of requests whose id is in the query
 */
export function beginRules(variables: readonly string[], inQuery: readonly string[]): Rule[] {
  const take = (name: string, from: string, pattern: string): Rule => ({
    conditions: [[env(from), pattern]],
    flags: [set(`part_${name}`, "%1")],
  });
  const ofQuery = inQuery.length === 0 ? "(?!)" : `(?:${inQuery.join("|")})`;
  const all = ["", ...[...variables, "id"].map((name) => env(`part_${name}`)), ""].join("&");
  return [
    ...variables.map((name) => take(name, name, `^${sent}`)),
    take("id", "target", `^(?!w=|l=|${ofQuery}=)[a-z0-9]+=${decoded}`),
    {
      conditions: [["expr", `escape(${env("part_id")}) =~ /^(.+)$/`]],
      flags: [set("part_id", "%1")],
    },
    take("id", "target", `^${ofQuery}=${sent}`),
    { conditions: [[all, "[A-Z_%+]"]], flags: [set("todo", all), "N"] },
  ];
}

/** Rules that give the variables their values' segments, behind the loop. */
export function endRules(variables: readonly string[]): Rule[] {
  const found = [...variables, "id"].map(
    (name, at): Rule => ({
      conditions: [[env("done"), `^&(?:[^&]*&){${at}}([^&]+)&`]],
      flags: [set(name, "%1")],
    }),
  );
  return [...found, { conditions: [[env("kind"), "=u"]], flags: [set("kind", "l")] }];
}

function set(variable: string, value: string): string {
  return `E=${environment(variable)}:${value}`;
}
