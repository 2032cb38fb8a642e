import type { Rules } from "../routes/rules.ts";
import { env, rule, set } from "./apache-rules.ts";
import type { Lookup } from "./lookup.ts";
import { upperUuid } from "./patterns.ts";
import type { Spelling } from "./segment-lookups.ts";

/*
 * Apache reads .htaccess at every request, so that it must not list the segment of each id and name. Rules make the
 * segment of a value instead: one escapes the first character that segments have no place for, and begins anew.
 */

/** Characters of a value of a query, and bytes of a decoded path, up to which rules make segments of them. */
const [longestSent, longestPath] = [120, 400];
const usual = /^[\w. \u0080-\u{10ffff}-]+$/u;

/** Values have been made segments by rules before they are looked for, except for unusual ones. */
export const apacheSpelling: Spelling = {
  held,
  heldOfQuery(value) {
    const longest = encodeURIComponent(value);
    const shortest = longest.replaceAll("%20", "+");
    const forms = new Set<string>();
    if (shortest.length <= longestSent) forms.add(held(value));
    if (longest.length > longestSent) forms.add(value);
    return [...forms];
  },
  heldOfPath(path) {
    if (Buffer.byteLength(path) > longestPath) return path;
    return path.split("/").map(held).join("/");
  },
  plain: "[a-z0-9_-][a-z0-9._-]{0,118}[a-z0-9-]|[a-z0-9-]",
  path: "[\\w \\x80-\\xff-](?:[\\w. \\x80-\\xff-]*[\\w \\x80-\\xff-])?",
  // Other than `l`, which is the folder of a file already.
  linkKind: "u",
};

function held(value: string): string {
  if (!usual.test(value)) return value;
  if (new RegExp(`^${upperUuid}$`).test(value)) return `${value.toLowerCase()}_u`;
  const characters = Array.from(new TextEncoder().encode(value), (byte) => {
    const char = String.fromCharCode(byte);
    return /[a-z0-9.-]/.test(char) ? char : `_${byte.toString(16)}`;
  });
  return characters.join("");
}

/** Values as they are sent in a query, of no more bytes than a segment has: escapes are those of what is escaped in segments, too. */
const sent = `(?=.{1,${longestSent}}\\z)((?:[\\w.-]|\\+|%(?:20|4[1-9a-fA-F]|5[0-9aAfF]|[89a-fA-F][0-9a-fA-F]))+)\\z`;
/** Ids and paths of links in a decoded path. What is longer is only found where it is its own segment, or listed. */
const decoded = `(?=.{1,${longestPath}}\\z)([\\w./ \\x80-\\xff-]+)\\z`;

/** Rules that come before all others: the loop, which goes on behind as many of the other rules as are told. */
export function loopRules(skipped: number): string[] {
  const [todo, done, word, end] = [env("todo"), env("done"), env("word"), env("end")];
  const before = "^([^A-Z_%+]*";
  const step = (pattern: string, more: string): string =>
    rule(
      [set("done", `${done}%1${more}`), set("todo", "%2"), "N"],
      [[todo, `${before})${pattern}(.*)$`]],
    );
  const loop = [
    rule(
      [set("done", `${done}%1`), set("word", "%2"), set("end", "_u"), set("todo", "%3"), "S=1"],
      [[todo, `${before}[/&])(${upperUuid})([/&].*)$`]],
    ),
    rule(
      [set("done", `${done}%1_`), set("word", "%2"), set("end", ""), set("todo", "%3")],
      [[todo, `${before})%(..)(.*)$`]],
    ),
    rule(
      [set("done", `${done}%1${end}`), set("word", ""), "N"],
      [
        [word, "!^$"],
        ["expr", `tolower(${word}) =~ /^(.*)$/`],
      ],
    ),
    ...Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", (char) =>
      step(char, `_${char.charCodeAt(0).toString(16)}`),
    ),
    step("\\+", "_20"),
  ];
  return [
    rule([`S=${loop.length + 1}`], [[todo, "^$"]]),
    ...loop,
    rule([set("done", `${done}${todo}`), set("todo", ""), `S=${skipped}`]),
  ];
}

/** Rules that begin the loop with the values of a request, and those that take their segments behind it. */
export function segmentRules({ endpoints }: Rules, tags: readonly Lookup[]) {
  const take = (name: string, from: string, pattern: string): string =>
    rule([set(`part_${name}`, "%1")], [[from, pattern]]);
  const inQuery = endpoints.flatMap(({ query }, at) =>
    query.some(([, value]) => value.includes("{id}")) ? [`e${at}`] : [],
  );
  const ofQuery = inQuery.length === 0 ? "(?!)" : `(?:${inQuery.join("|")})`;
  const tagNames = tags.map(({ name }) => name).filter((name) => name !== "more_tags");
  const filters = ["q_category", ...tagNames];
  const values = [...filters, "id"];
  const all = ["", ...values.map((name) => env(`part_${name}`)), ""].join("&");
  const begin = [
    ...filters.map((name) => take(name, env(name), `^${sent}`)),
    take("id", env("target"), `^(?!w=|l=|${ofQuery}=)[a-z0-9]+=${decoded}`),
    take("id", "expr", `escape(${env("part_id")}) =~ /^(.+)$/`),
    take("id", env("target"), `^${ofQuery}=${sent}`),
    rule([set("todo", all), "N"], [[all, "[A-Z_%+]"]]),
  ];
  const end = [
    ...values.map((name, at) =>
      rule([set(name, "%1")], [[env("done"), `^&(?:[^&]*&){${at}}([^&]+)&`]]),
    ),
    rule([set("kind", "l")], [[env("kind"), "=u"]]),
  ];
  return { begin, end };
}
