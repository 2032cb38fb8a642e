import type { FilterName } from "../routes/filters.ts";
import { plainSegment } from "../routes/segments.ts";
import type { Choice, Dialect, EdgeRule, Parameter } from "./edge-dialect.ts";
import type { HostInput } from "./host.ts";
import { atMost, literal, positiveNumber, roundedTo, roundedUpTo } from "./patterns.ts";

/** Characters of an expression in vercel.json: `maxLength` in the schema of @vercel/routing-utils. */
const longestPattern = 4_096;

/** Absent where the first page is asked for: by its number, an empty value or no parameter. */
const otherPage: Parameter = ["page", "(?:[^1].*|1.+)"];
const anyPage: Parameter = ["page", "(?<page>[2-9]|[1-9][0-9]{1,8})"];
const anyId = `(?<id>${plainSegment})`;
/** A value that is there; what is missing is absent or empty. */
const some = ".+";
/** The form of any value of a filter; one tag. Those of sides and scales are numbers. */
const anyValue: Record<string, string> = {
  thumb: some,
  year: "[0-9]{1,4}",
  month: "[0-9]{1,4}",
  category: some,
  tags: ",*[^,]+,*",
};

/** Rules with regular expressions, as the routes of `vercel.json` have them. */
export function dialectFor(input: HostInput): Dialect {
  return {
    input,
    text: literal,
    slash: "/?",
    any: (name) => anyValue[name] ?? positiveNumber,
    roundedTo,
    upTo(number, name) {
      const fits = name === "scale" ? atMost(number) : roundedUpTo(number);
      return [positiveNumber, fits];
    },
    anyId: [`(?!index(?:/|$))${anyId}`, "$id"],
    anyImage: [`${anyId}\\.jpg`, "$id.jpg"],
    idIn: () => anyId,
    idAs: literal,
    oneOf: (texts) => alternatives(texts.map(literal)).map((one) => [`(?<id>${one})`, "$id"]),
    below: (top) => [`(?<id>${literal(top)}(?:/(?:${plainSegment}))+)`, "$id"],
    pages: (first, other) => [
      onFirstPage(first),
      { ...other, query: [...(other.query ?? []), anyPage] },
    ],
    page: "$page",
    valuesOf: (name) => valuesOf(name, input.names),
    absent(wanted, { filters }) {
      // What a request without filters must not have; a month alone is not looked at.
      const others = filters.filter(
        (name) => !wanted.includes(name) && (name !== "month" || wanted.includes("year")),
      );
      // Leading zeros must not make a number longer than four digits.
      const numbers = wanted.filter((name) => name === "year" || name === "month");
      return [
        ...others.map((name): Parameter => [name, name === "tags" ? ".*[^,].*" : some]),
        ...numbers.map((name): Parameter => [name, "[0-9]{5,}"]),
      ];
    },
    twoTags: [
      `,*(?<tags>${plainSegment}),+(?<second>${plainSegment}),*`,
      "tags/$tags/tags/$second",
    ],
    nothing: (empty) => [onFirstPage(empty)],
    inList: (name) => (name === "year" || name === "month" ? "[0-9]+" : "[^/]+"),
  };
}

function onFirstPage(rule: EdgeRule): EdgeRule {
  return { ...rule, absent: [...(rule.absent ?? []), otherPage] };
}

function valuesOf(name: FilterName, names: HostInput["names"]): Choice[] {
  // As many names as there are may stand together: what is too much is told for all routes.
  const choice = (value: string, segment: string): Choice => ({ value, segment, plain: true });
  if (name === "year" || name === "month") {
    return [choice(`0{0,3}(?<${name}>[1-9][0-9]{0,3}|0)`, `$${name}`)];
  }
  const commas = name === "tags" ? ",*" : "";
  const around = (value: string): string => commas + value + commas;
  const own = names
    .filter(({ value, isFilter }) => isFilter && (name !== "tags" || !value.includes(",")))
    .map(({ value, segment }) => choice(around(literal(value)), segment));
  return [...own, choice(around(`(?<${name}>${plainSegment})`), `$${name}`)];
}

/** Expressions that fit one of the texts each, none too long for a route. */
function alternatives(texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const text of texts) {
    const joined = `${found.at(-1)}|${text}`;
    if (found.length > 0 && joined.length < longestPattern - 200) found[found.length - 1] = joined;
    else found.push(text);
  }
  return found;
}
