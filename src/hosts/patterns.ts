import type { HeaderRule } from "../routes/headers.ts";
import { reservedNames } from "../routes/segments.ts";

/** Patterns for PCRE and RE2, if nothing else is said. RE2 has no lookahead and no backreferences. */

/** A pattern that matches this text only, without anchors. */
export function literal(text: string): string {
  return text.replace(/[^\w/=&,:;@%~<>\u0080-\uffff-]/g, (char) =>
    /[\0- "'`#\x7f]/.test(char) ? `\\x${hex(char.charCodeAt(0))}` : `\\${char}`,
  );
}

/** A pattern of every way in which this value can be written in a query: escaped or not, a space also as `+`. */
export function spelled(value: string): string {
  const patterns = Array.from(new TextEncoder().encode(value), (byte) => {
    const char = String.fromCharCode(byte);
    const escaped = `%${hex(byte).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
    if (char === " ") return `(?:\\+|${escaped})`;
    if (byte <= 0x20 || byte >= 0x7f || /[&#+%"]/.test(char)) return escaped;
    return `(?:${literal(char)}|${escaped})`;
  });
  return patterns.join("");
}

/** Matches a query where it has a parameter: the first of its name, its value as the first group. */
export function firstOf(name: string): string {
  return `(?:^|&)${literal(name)}(?:=([^&]*))?(?:&|$)`;
}

/** Whole numbers from 0 to a limit: upTo(25) → "[0-9]{1,1}|[0-1][0-9]{1}|2[0-4][0-9]{0}|25" */
function upTo(limit: number): string {
  const digits = String(limit);
  const shorter = digits.length === 1 ? [] : [`[0-9]{1,${digits.length - 1}}`];
  return [...shorter, ...sameLength(digits)].join("|");
}

/** Patterns that together match the texts of as many digits that are not above these. */
function sameLength(digits: string): string[] {
  const lower = [...digits].flatMap((digit, at) => {
    if (digit === "0") return [];
    return [`${digits.slice(0, at)}[0-${Number(digit) - 1}][0-9]{${digits.length - at - 1}}`];
  });
  return [...lower, digits];
}

/** What a side or a scale must look like, other than being above 0. Its digits are `0` only where it is 0. */
export const decimal = "[0-9]{1,6}(?:\\.[0-9]{1,4})?";
export const zero = "0+(?:\\.0+)?";
export const escapedDecimal = "(?:[0-9]|%3[0-9]){1,6}(?:(?:\\.|%2[eE])(?:[0-9]|%3[0-9]){1,4})?";

/** Matches positive numbers of the form above that round to one up to a limit. */
export function roundedUpTo(limit: number): string {
  return `0*(?:(?:${upTo(limit - 1)})(?:\\.[0-9]+)?|${limit}(?:\\.[0-4][0-9]*)?)`;
}

/** Matches positive numbers of the form above that are not above a limit of at most four decimals. */
export function atMost(limit: number): string {
  const [whole = "0", decimals = ""] = String(limit).split(".");
  const below = Number(whole) === 0 ? [] : [`(?:${upTo(Number(whole) - 1)})(?:\\.[0-9]+)?`];
  const fractions = [1, 2, 3, 4].map(
    (length) => `(?:${sameLength(decimals.padEnd(4, "0").slice(0, length)).join("|")})`,
  );
  return `0*(?:${[...below, `${whole}(?:\\.(?:${fractions.join("|")}))?`].join("|")})`;
}

/** Whole numbers of up to four digits, each form with the number without leading zeros as its only group. */
export const shortNumbers = [
  "0{0,3}([0-9])",
  "0{0,2}([1-9][0-9])",
  "0?([1-9][0-9]{2})",
  "([1-9][0-9]{3})",
];

/** Plain values that the layout needs for itself, so that their segments are others. */
export const reserved = `^(?:${reservedNames})(?:\\.|\\z)|\\.json\\z`;

/** UUIDs with letters, all in upper case, in PCRE only. */
export const upperUuid = "(?=[0-9-]*[A-F])[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}";

/** Escape of a character that no value needs to escape in a query. */
const needlessEscape = "%(?:2[dDeE]|3[0-9]|[46][1-9a-fA-F]|5[0-9aAfF]|7[0-9aAeE])";

/** Values that have such characters only, and an escape of one of them at least. */
export const needlesslyEscaped = `[\\w.~-]*${needlessEscape}(?:[\\w.~-]|${needlessEscape})*`;

/** Matches a value that lists exactly so many tags, each of them a group. */
export function listOfTags(count: number): string {
  const comma = "(?:,|%2[cC])";
  const tag = "((?:[^,&%]|%(?:[^2,&%]|2[^cC,&%]))+)";
  return `^${comma}*${`${tag}(?:${comma}+|$)`.repeat(count)}$`;
}

/** Below the mirror root. */
export function belowRoot(root: string): string {
  return `^/${literal(root)}(?:/|\\z)`;
}

/** Matches the beginning of texts with more characters. RE2 repeats nothing more than 1,000 times. */
export function longerThan(most: number): string {
  return `${".{1000}".repeat(Math.floor(most / 1_000))}.{${(most % 1_000) + 1}}`;
}

/** Matches request targets that are refused with 400: with a segment `.` or `..`, or a backslash. */
export const badTarget = "^[^?]*?(?:/(?:\\.|%2[eE]){1,2}(?:[/? ]|$)|\\\\|%5[cC])";

/** Matches request targets that name no file: with an escaped slash, or two slashes. */
export const lostTarget = "^[^?]*?(?:%2[fF]|//)";

/** Matches the paths that a header rule is for. */
export function pathPattern({ prefix, suffix }: Pick<HeaderRule, "prefix" | "suffix">): string {
  return `^${literal(prefix)}${suffix === "" ? "" : `(?s:.*)${literal(suffix)}\\z`}`;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
