import type { FilterName } from "../routes/filters.ts";
import { headersOf } from "../routes/headers.ts";
import type { Endpoint } from "../routes/rules.ts";
import type { Slot } from "../routes/slots.ts";
import { linkFolder } from "../routes/table.ts";
import {
  type FilterSet,
  filterSets,
  grouped,
  hasId,
  hasTwoTags,
  indexOf,
  isRedirected,
  placeOf,
  placeWith,
  topOf,
  usualLinkEndings,
} from "./edge-requests.ts";
import {
  type HostConfiguration,
  type HostInput,
  type HostLimit,
  type LinkedPath,
  sizeLimits,
} from "./host.ts";

/** "If you need to set up 10,000 redirects or more": docs.netlify.com/manage/routing/redirects/overview */
const mostRules = 10_000;
/** Files in one folder: docs.netlify.com/site-deploys/overview, "Files per directory limit" */
const mostFilesInFolder = 54_000;
/** Years of which each gets rules of its own. */
const mostYears = 60;

/** One line of `_redirects`. */
interface Rule {
  from: string;
  /** `name=value` or `name=:placeholder`; other parameters of a request do not matter. */
  query: string[];
  to: string;
  /** With `!`, also where a file has the path. */
  status: "200" | "200!" | "302" | "404" | "404!";
}

/**
 * `_redirects` and `_headers` for Netlify, to be copied into the publish root. The first rule that fits a request
 * counts, whether its file exists or not; placeholders stand for whole path segments and whole values.
 */
export function netlifyConfiguration(input: HostInput): HostConfiguration {
  const linked = { ...input.linked, files: input.linked.files.filter(isUsualLink(input)) };
  const general = rulesOf({ ...input, names: [], linked });
  const all = rulesOf(input);
  const fits = all.length < mostRules;
  const rules = fits ? all : general;
  const lines = rules.map(({ from, query, to, status }) => [from, ...query, to, status].join(" "));
  return {
    files: [
      { path: "_redirects", content: `${[...redirectsComment, ...lines].join("\n")}\n` },
      { path: "_headers", content: headersFile(input) },
    ],
    limits: limitsOf(input, fits ? undefined : all.length),
  };
}

const redirectsComment = [
  '# Written by stillpress. Copy this file and _headers into the publish root, and leave "Pretty URLs" and other',
  "# post-processing of the site off.",
];

function rulesOf(input: HostInput): Rule[] {
  const { rules, notFound } = input;
  return [
    ...imageRules(input),
    ...originalRules(input),
    ...rules.endpoints.flatMap((endpoint) => endpointRules(endpoint, input)),
    ...linkRules(input),
    ...(input.redirects ? emptyListRules(input) : []),
    { from: `/${rules.root}/*`, query: [], to: `/${notFound.api}`, status: "404" },
    { from: `/${rules.root}`, query: [], to: `/${notFound.api}`, status: "404" },
  ];
}

/**
 * Rules for `/images/{id}.jpg` with a query. A placeholder is a whole segment, so that these rules take the image's
 * JSON, too, where it is asked for with a size.
 */
function imageRules({ rules: { root, slots }, names, notFound }: HostInput): Rule[] {
  const slotRules: [query: string[], slot: Slot | undefined][] = [
    [["thumb=p"], "thumb/portrait"],
    [["thumb=l"], "thumb/landscape"],
    [["thumb=:t", "orientation=p"], "thumb/portrait"],
    [["thumb=:t", "orientation=l"], "thumb/landscape"],
    [["thumb=:t"], "thumb/square"],
    ...slots.boxes.map(([width, height, slot]): [string[], Slot] => [
      [`width=${width}`, `height=${height}`],
      slot,
    ]),
    // Whatever else were sent would be another picture.
    [["width=:w", "height=:h"], undefined],
    ...slots.widths.map(([width, slot]): [string[], Slot] => [[`width=${width}`], slot]),
    [["width=:w"], slots.largest],
    ...slots.heights.map(([height, slot]): [string[], Slot] => [[`height=${height}`], slot]),
    [["height=:h"], slots.largest],
    ...slots.scales.map(([scale, slot]): [string[], Slot] => [[`scale=${scale}`], slot]),
    [["scale=:s"], slots.largest],
  ];
  const of = (from: string, file: string): Rule[] =>
    slotRules
      .map(([query, slot]): Rule => {
        const asked = { from: `/${root}/images/${from}`, query };
        if (slot === undefined) return { ...asked, to: `/${notFound.api}`, status: "404!" };
        const folder = slot === "web" ? "images" : `images/by/${slot}`;
        return { ...asked, to: `/${root}/${folder}/${file}`, status: "200!" };
      })
      // A rule that leads to its own path is ignored, which comes to the same unless a later one fits.
      .filter((rule) => rule.from !== rule.to);
  const own = names.flatMap(({ value, segment }) => {
    const from = `${encodeURIComponent(value)}.jpg`;
    const web: Rule = {
      from: `/${root}/images/${from}`,
      query: [],
      to: `/${root}/images/${segment}.jpg`,
      status: "200",
    };
    return [...of(from, `${segment}.jpg`), web];
  });
  return [...own, ...of(":file", ":file")];
}

function originalRules({ rules: { root }, originals, names }: HostInput): Rule[] {
  const folder = `/${root}/images/by/download`;
  const [usual] = originals.endings;
  if (usual === undefined) return [];
  const values = new Map(names.map(({ value, segment }) => [segment, value]));
  const rule = (id: string, file: string): Rule => ({
    from: `/${root}/images/${id}/download`,
    query: [],
    to: `${folder}/${file}`,
    status: "200",
  });
  const named = (segment: string): string => encodeURIComponent(values.get(segment) ?? segment);
  const others = new Set(originals.others.map(({ segment }) => segment));
  return [
    ...originals.others.map(({ segment, ending }) => rule(named(segment), segment + ending)),
    ...names
      .filter(({ segment }) => !others.has(segment))
      .map(({ value, segment }) => rule(encodeURIComponent(value), segment + usual)),
    rule(":id", `:id${usual}`),
  ];
}

/** Rules for the paths of links to files: one for the usual ending below each first segment, others one by one. */
function linkRules(input: HostInput): Rule[] {
  const { root } = input.rules;
  const isUsual = isUsualLink(input);
  const to = `/${linkFolder(root).slice(0, -1)}`;
  const own = input.linked.files
    .filter((file) => !isUsual(file))
    .map(({ written, folder, ending }): Rule => {
      const file = `${to}${folder}/index${ending}`;
      return { from: `/${root}${written}`, query: [], to: file, status: "200" };
    });
  const all = [...usualLinkEndings(input)].map(([top, ending]): Rule => {
    const file = `${to}/${top}/:splat/index${ending}`;
    return { from: `/${root}/${top}/*`, query: [], to: file, status: "200" };
  });
  return [...own, ...all];
}

/** Whether the file of a link is found by its first segment. */
function isUsualLink(input: HostInput): (file: LinkedPath) => boolean {
  const endings = usualLinkEndings(input);
  return ({ path, folder, ending }) => path === folder && endings.get(topOf(path)) === ending;
}

function endpointRules(endpoint: Endpoint, input: HostInput): Rule[] {
  const { rules, names, notFound } = input;
  const { target, path, query: fixed } = endpoint;
  if (!hasId(endpoint)) {
    const from = `/${rules.root}${path}`;
    const query = fixed.map(([name, value]) => `${name}=${value}`);
    const place = placeOf(endpoint, rules.root, "");
    return [
      ...filterRules(endpoint, input, { from, query }),
      ...answerRules(endpoint, place, input, { from, query }),
    ];
  }
  const own = names
    .filter(({ value }) => isWritable(value) || !fixed.some(([, text]) => text.includes("{id}")))
    .flatMap(({ value }) =>
      answerRules(endpoint, placeOf(endpoint, rules.root, value), input, {
        from: `/${rules.root}${path.replace("{id}", () => encodeURIComponent(value))}`,
        query: fixed.map(([name, text]) => `${name}=${text.replace("{id}", () => value)}`),
      }),
    );
  if (!isMatchable(endpoint)) return own;
  const from = `/${rules.root}${path.replace("{id}", ":id")}`;
  const query = fixed.map(([name, text]) => `${name}=${text.replace("{id}", ":id")}`);
  // The list of all lies beside the objects, and no object is called so.
  const taken: Rule[] =
    target.route === "single" && path.includes("{id}")
      ? [{ from: from.replace(":id", "index"), query, to: `/${notFound.api}`, status: "404" }]
      : [];
  const place = placeWith(endpoint, rules.root, ":id");
  return [...own, ...taken, ...answerRules(endpoint, place, input, { from, query })];
}

/** Whether the id of an endpoint is a whole segment or value, as placeholders are. */
function isMatchable({ path, query }: Endpoint): boolean {
  const parts = [...path.split("/"), ...query.map(([, value]) => value)];
  return parts.every((part) => !part.includes("{id}") || part === "{id}");
}

/** Rules for one answer, or the pages of a list. */
function answerRules(
  endpoint: Endpoint,
  place: string,
  input: HostInput,
  { from, query }: Pick<Rule, "from" | "query">,
): Rule[] {
  const status = isRedirected(endpoint, input) ? "302" : "200";
  const { route } = endpoint.target;
  if (route === "single") return [{ from, query, to: `/${place}`, status }];
  const first: Rule = { from, query, to: `/${place}/index.json`, status };
  if (route === "all") return [first];
  return [
    { ...first, query: [...query, "page=1"] },
    { from, query: [...query, "page=:page"], to: `/${place}/page/:page.json`, status },
    first,
  ];
}

/** Rules for each set of filters: those that have no lists are not found, whatever else the request has. */
function filterRules(
  endpoint: Endpoint,
  input: HostInput,
  { from, query }: Pick<Rule, "from" | "query">,
): Rule[] {
  const { rules, notFound } = input;
  const place = placeOf(endpoint, rules.root, "");
  return filterSets(endpoint.filters).flatMap((set): Rule[] => {
    const any = [...query, ...set.names.map((name) => `${name}=:${name}`)];
    if (!rules.filters.includes(set.combination)) {
      return [{ from, query: any, to: `/${notFound.api}`, status: "404" }];
    }
    const lists = choicesOf(set, endpoint, input).flatMap((choices) => {
      const parameters = choices.map(({ name, value }) => `${name}=${value}`);
      const folders = choices.map(({ name, segment }) => `${name}/${segment}`);
      return answerRules(endpoint, [place, "by", ...folders].join("/"), input, {
        from,
        query: [...query, ...parameters],
      });
    });
    return [...lists, ...otherYears(set, endpoint, input, { from, query: any })];
  });
}

interface Choice {
  name: FilterName;
  /** As the rule has it: a value or a placeholder. */
  value: string;
  segment: string;
}

/** Each way in which the values of a set of filters are told: known values first, placeholders last. */
function choicesOf(set: FilterSet, endpoint: Endpoint, input: HostInput): Choice[][] {
  let found: Choice[][] = [[]];
  for (const name of set.names) {
    const choices = valuesOf(name, endpoint, input).map(([value, segment]) => ({
      name,
      value,
      segment,
    }));
    found = found.flatMap((before) =>
      choices
        // Two names that are not their own segments at once are left out: there would be too many rules.
        .filter((choice) => isPlain(choice) || before.every(isPlain))
        .map((choice) => [...before, choice]),
    );
  }
  return found;
}

function isPlain({ name, value, segment }: Choice): boolean {
  return name === "year" || name === "month" || value === segment;
}

function valuesOf(
  name: FilterName,
  endpoint: Endpoint,
  input: HostInput,
): [value: string, segment: string][] {
  const any: [string, string] = [`:${name}`, `:${name}`];
  if (name === "year") return yearsOf(endpoint, input)?.map((year) => [year, year]) ?? [any];
  if (name === "month") {
    const padded = Array.from({ length: 9 }, (_, at): [string, string] => [
      `0${at + 1}`,
      `${at + 1}`,
    ]);
    return [...padded, any];
  }
  const own = input.names
    .filter(({ value }) => isWritable(value))
    .map(({ value, segment }): [string, string] => [value, segment]);
  return [...own, any];
}

/** Whether a value can be written in a rule: no space, and nothing that would begin a placeholder or a comment. */
function isWritable(value: string): boolean {
  return /^[^\s:#][^\s#&]*$/.test(value) && !value.includes(",");
}

/**
 * The years that something was published in, and those between; undefined where rules for each are not needed or
 * would be too many. Behind redirects, a list that does not exist is told by its path.
 */
function yearsOf(endpoint: Endpoint, { redirects, years }: HostInput): string[] | undefined {
  const index = indexOf(endpoint);
  if (redirects || index === undefined) return undefined;
  const [first, last] = years[index] ?? [1, 0];
  if (last - first >= mostYears) return undefined;
  return Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
}

/** In other years than the known ones nothing was published. */
function otherYears(
  set: FilterSet,
  endpoint: Endpoint,
  input: HostInput,
  { from, query }: Pick<Rule, "from" | "query">,
): Rule[] {
  if (!set.names.includes("year") || yearsOf(endpoint, input) === undefined) return [];
  const empty = `/${placeOf(endpoint, input.rules.root, "")}/by/none.json`;
  return [
    { from, query: [...query, "page=1"], to: empty, status: "200" },
    { from, query: [...query, "page=:page"], to: `/${input.notFound.api}`, status: "404" },
    { from, query, to: empty, status: "200" },
  ];
}

/**
 * Where requests were redirected to a list that does not exist, it lists nothing. Not for tags: a request for
 * several would lead there as well.
 */
function emptyListRules({ rules }: HostInput): Rule[] {
  return rules.endpoints.flatMap((endpoint) => {
    if (indexOf(endpoint) === undefined) return [];
    const place = placeOf(endpoint, rules.root, "");
    return filterSets(endpoint.filters)
      .filter(({ names }) => !names.includes("tags"))
      .filter(({ combination }) => rules.filters.includes(combination))
      .map(({ names }): Rule => {
        const folders = names.map((name) => `${name}/:${name}`).join("/");
        const from = `/${place}/by/${folders}/index.json`;
        return { from, query: [], to: `/${place}/by/none.json`, status: "302" };
      });
  });
}

function headersFile(input: HostInput): string {
  const { rules, headers } = input;
  const blocks = headers.map(({ prefix, suffix, headers: fields }) =>
    block(`${prefix}*${suffix}`, fields),
  );
  // Rules may be looked up by the path that was asked for instead of the file's.
  const [usual] = input.originals.endings;
  const original = headersOf(`${rules.root}/images/by/download/0${usual}`, headers)[
    "Cache-Control"
  ];
  if (original !== undefined) {
    blocks.push(block(`/${rules.root}/images/:id/download`, { "Cache-Control": original }));
  }
  return `${blocks.join("\n")}`;
}

function block(path: string, fields: Record<string, string>): string {
  return [path, ...Object.entries(fields).map(([name, value]) => `  ${name}: ${value}`), ""].join(
    "\n",
  );
}

function limitsOf(input: HostInput, tooMany: number | undefined): HostLimit[] {
  const { rules, totals, redirects } = input;
  const texts = [
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
  ];
  if (hasTwoTags(rules))
    texts.push("lists of two tags together cannot be asked for by their query");
  const inside = rules.endpoints.filter((endpoint) => hasId(endpoint) && !isMatchable(endpoint));
  if (inside.length > 0) {
    const paths = inside.map(({ path }) => path.replace("{id}", "…")).join(", ");
    texts.push(`endpoints with the id inside a path segment cannot be matched: ${paths}`);
  }
  const limits = texts.map((text) => ({ text, exceeded: false }));
  if (tooMany !== undefined) {
    limits.push({
      text: `ids, categories, tags and paths of links to files that are not their own file names would need ${grouped(tooMany)} rules, and Netlify advises against ${grouped(mostRules)} or more: they are left out, and requests for them answered with 404`,
      exceeded: false,
    });
  }
  if (totals.files > mostFilesInFolder) {
    limits.push({
      text: `Netlify takes ${grouped(mostFilesInFolder)} files in one folder, and this archive has ${grouped(totals.files)} in all its folders`,
      exceeded: false,
    });
  }
  return limits;
}
