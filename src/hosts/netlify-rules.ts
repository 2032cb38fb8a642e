import type { Endpoint } from "../routes/rules.ts";
import type { Choice, Dialect, EdgeRule } from "./edge-dialect.ts";
import type { HostInput } from "./host.ts";

/** Years of which each gets rules of its own. */
const mostYears = 60;

/** Rules as `_redirects` has them: a placeholder is a whole segment or value. */
export function dialectFor(input: HostInput): Dialect {
  const any = (name: string): string => `:${name}`;
  const onPage = (rule: EdgeRule, page: string): EdgeRule => ({
    ...rule,
    query: [...(rule.query ?? []), ["page", page]],
  });
  const pages = (first: EdgeRule, other: EdgeRule): EdgeRule[] => [
    onPage(first, "1"),
    onPage(other, ":page"),
    first,
  ];
  return {
    input,
    text: (text) => text,
    // Netlify takes a path with a slash at its end for the same.
    slash: "",
    any,
    roundedTo: String,
    upTo: (number) => [String(number)],
    anyId: [":id", ":id"],
    // A placeholder is a whole segment, so that these rules take the image's JSON, too, where a size is asked for.
    anyImage: [":file", ":file"],
    idIn: (endpoint) => (isMatchable(endpoint) ? ":id" : undefined),
    idAs: (value) => (isWritable(value) ? value : undefined),
    oneOf: (texts) => texts.map((text) => [text, text]),
    below: (top) => [`${top}/*`, `${top}/:splat`],
    pages,
    page: ":page",
    valuesOf(name, endpoint) {
      if (name === "year") return yearsOf(endpoint, input)?.map(own) ?? [own(any(name))];
      if (name === "month") return [...paddedMonths, own(any(name))];
      const written = input.names.filter((one) => one.isFilter && isWritable(one.value));
      return [...written.map((one) => ({ ...one, plain: false })), own(any(name))];
    },
    absent: () => [],
    // In other years than the known ones nothing was published.
    nothing(empty, names, endpoint) {
      if (!names.includes("year") || yearsOf(endpoint, input) === undefined) return [];
      return pages(empty, { ...empty, to: input.notFound.api, answer: "missing" });
    },
    // A request for several tags would lead there as well.
    inList: (name) => (input.redirects && name !== "tags" ? `:${name}` : undefined),
  };
}

const own = (value: string): Choice => ({ value, segment: value, plain: true });

const paddedMonths = Array.from({ length: 9 }, (_, at): Choice => {
  return { value: `0${at + 1}`, segment: `${at + 1}`, plain: true };
});

/** Whether the id of an endpoint is a whole segment or value, as placeholders are. */
export function isMatchable({ path, query }: Endpoint): boolean {
  const parts = [...path.split("/"), ...query.map(([, value]) => value)];
  return parts.every((part) => !part.includes("{id}") || part === "{id}");
}

/** Whether a value can be written in a rule: no space, and nothing that would begin a placeholder or a comment. */
function isWritable(value: string): boolean {
  return /^[^\s:#][^\s#&]*$/.test(value) && !value.includes(",");
}

/**
 * The years that something was published in, and those between; undefined where rules for each are not needed or
 * would be too many. Behind redirects, a list that does not exist is told by its path.
 */
function yearsOf({ target }: Endpoint, { redirects, years }: HostInput): string[] | undefined {
  if (redirects || target.route !== "index") return undefined;
  // Only articles and galleries are asked for by year.
  const [first, last] = years[target.index as keyof typeof years] ?? [1, 0];
  if (last - first >= mostYears) return undefined;
  return Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
}
