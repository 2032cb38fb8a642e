import { headersOf } from "../routes/headers.ts";
import type { Endpoint } from "../routes/rules.ts";
import { binaryRules, type Choice, type Dialect, type EdgeRule, listRules } from "./edge-rules.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped, oldAddressLimits, rulesThatFit, sizeLimits } from "./limits.ts";

/** "If you need to set up 10,000 redirects or more": docs.netlify.com/manage/routing/redirects/overview */
const tooManyRules = 10_000;
/** Files in one folder: docs.netlify.com/site-deploys/overview, "Files per directory limit" */
const mostFilesInFolder = 54_000;
/** Years of which each gets rules of its own. */
const mostYears = 60;
/** Rules for old addresses, so that most are left for the API. */
const mostRedirects = 5_000;

/**
 * `_redirects` and `_headers` for Netlify, to be copied into the publish root. The first rule that fits a request
 * counts, whether its file exists or not; placeholders stand for whole path segments and whole values.
 */
export function netlifyConfiguration(input: HostInput): HostConfiguration {
  const need = `rules, and Netlify advises against ${grouped(tooManyRules)} or more`;
  const fitting = rulesThatFit(input, linesOf, tooManyRules - 1, need);
  const leftOut = input.oldAddresses.size - redirectRules(input).length;
  return {
    files: [
      { path: "_redirects", content: `${[...comment, ...fitting.rules].join("\n")}\n` },
      { path: "_headers", content: headersFile(input) },
    ],
    limits: [...limitsFor(input), ...oldAddressLimits(leftOut), ...fitting.limits],
  };
}

const comment = [
  '# Written by stillpress. Copy this file and _headers into the publish root, and leave "Pretty URLs" and other',
  "# post-processing of the site off.",
];

/** Statuses; with "!", also where a file has the path. */
const statuses = { file: "200", image: "200!", redirect: "302", missing: "404!" };

function linesOf(input: HostInput): string[] {
  const dialect = dialectFor(input);
  const rules = [...binaryRules(dialect), ...listRules(dialect)];
  const { root } = input.rules;
  return [
    ...redirectRules(input),
    ...rules
      // A rule that leads to its own path is ignored, which comes to the same unless a later one fits.
      .filter(({ path, to }) => path !== `/${to}`)
      .map(({ path, query = [], to, answer }) => {
        const parameters = query.map(([name, value]) => `${name}=${value}`);
        return [path, ...parameters, `/${to}`, statuses[answer]].join(" ");
      }),
    ...[`/${root}/*`, `/${root}`].map((path) => `${path} /${input.notFound.api} 404`),
  ];
}

/** Redirects from old addresses that rules can name. Other characters have a meaning there, or may be matched escaped or not. */
function redirectRules({ oldAddresses }: HostInput): string[] {
  if (oldAddresses.size > mostRedirects) return [];
  const nameable = [...oldAddresses].filter(([path]) => /^[\w/.~-]+$/.test(path));
  return nameable.map(([path, page]) => `${path} /${page} 301`);
}

/** Rules as `_redirects` has them: a placeholder is a whole segment or value. */
function dialectFor(input: HostInput): Dialect {
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
      return [...written.map((one) => ({ ...one, odd: true }) as const), own(any(name))];
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

const own = (value: string): Choice => ({ value, segment: value });

const paddedMonths = Array.from({ length: 9 }, (_, at): Choice => {
  return { value: `0${at + 1}`, segment: `${at + 1}` };
});

/** Whether the id of an endpoint is a whole segment or value, as placeholders are. */
function isMatchable({ path, query }: Endpoint): boolean {
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

function headersFile(input: HostInput): string {
  const { rules, headers } = input;
  // Rules may be looked up by the path that was asked for instead of the file's.
  const [usual] = input.originals.endings;
  const original = headersOf(`${rules.root}/images/by/download/0${usual}`, headers);
  const fields = { "Cache-Control": original["Cache-Control"] ?? "" };
  const blocks = [
    ...headers.map((rule) => block(`${rule.prefix}*${rule.suffix}`, rule.headers)),
    block(`/${rules.root}/images/:id/download`, fields),
  ];
  return blocks.join("\n");
}

function block(path: string, fields: Record<string, string>): string {
  const lines = Object.entries(fields).map(([name, value]) => `  ${name}: ${value}\n`);
  return `${path}\n${lines.join("")}`;
}

function limitsFor({ rules, redirects, totals }: HostInput): string[] {
  const inside = rules.endpoints.filter((endpoint) => !isMatchable(endpoint));
  const paths = inside.map(({ path }) => path.replace("{id}", "…")).join(", ");
  const files = `Netlify takes ${grouped(mostFilesInFolder)} files in one folder, and this archive has ${grouped(totals.files)} in all its folders`;
  return [
    ...sizeLimits(rules.slots, "none"),
    "an image's JSON with a width, height, scale or thumb in its query is answered with 404",
    redirects
      ? "a list of an unknown tag is answered with 404, one of a year or month that is no number is empty"
      : "a filtered list that does not exist is answered with 404, unless its year is outside the archive's",
    redirects
      ? "redirects to lists carry the query of the request along"
      : "the body of a 404 for a page, object or list that does not exist is the website's",
    "of several parameters with one name the last counts, and one without a value is taken for an unknown value",
    "preflight requests and methods other than GET and HEAD are answered as Netlify does, not with 204 and 405",
    "steps out of a folder, escaped slashes and very long URLs are answered as Netlify does",
    rules.filters.includes("tag+tag") &&
      "lists of two tags together cannot be asked for by their query",
    paths !== "" && `endpoints with the id inside a path segment cannot be matched: ${paths}`,
    totals.files > mostFilesInFolder && files,
  ].filter((limit) => limit !== false);
}
