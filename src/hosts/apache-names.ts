import { apacheSpelling } from "./apache-segments.ts";
import type { HostConfiguration, HostInput, LinkedPath, SegmentedName } from "./host.ts";
import { grouped } from "./limits.ts";
import { modelOf } from "./model.ts";

/** Apache reads and compiles all of the file at each request. */
const mostBytes = 256 * 1024;

/** What `make` makes of an input and further limits: with all names, or with as many as fit. */
export function withNamesThatFit(
  input: HostInput,
  make: (input: HostInput, further: string[]) => HostConfiguration,
): HostConfiguration {
  const listed = listedOf(input);
  const withFirst = (count: number): HostConfiguration => {
    const leftOut = listed.slice(count);
    const without = new Set(leftOut);
    const names = input.names.filter((name) => !without.has(name));
    const files = input.linked.files.filter((link) => !without.has(link));
    const fewer = { ...input, names, linked: { ...input.linked, files } };
    return make(fewer, leftOut.length === 0 ? [] : [leftOutText(leftOut)]);
  };
  let best = withFirst(0);
  // Each has a rule of more than 64 bytes.
  let [fitting, tooMany] = [0, Math.min(listed.length, mostBytes / 64) + 1];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    const tried = withFirst(middle);
    const fits = tried.files.every(({ content }) => Buffer.byteLength(content) <= mostBytes);
    if (fits) [fitting, best] = [middle, tried];
    else tooMany = middle;
  }
  return best;
}

type Listed = SegmentedName | LinkedPath;

/** What has rules of its own, the filters first: they are left out last. */
function listedOf(input: HostInput): Listed[] {
  const { names, linked } = input;
  const { listed } = modelOf(input, apacheSpelling);
  const ofNames = names.filter(({ value }) => listed.has(value));
  return [
    ...ofNames.filter(({ isFilter }) => isFilter),
    ...ofNames.filter(({ isFilter }) => !isFilter),
    ...linked.files.filter(({ path, folder }) => apacheSpelling.heldOfPath(path) !== folder),
  ];
}

function leftOutText(leftOut: readonly Listed[]): string {
  const filters = leftOut.filter((one) => "isFilter" in one && one.isFilter).length;
  const found =
    filters === 0
      ? "filters by all categories and tags are answered"
      : `filters by ${grouped(filters)} categories and tags among them find nothing`;
  return `${grouped(leftOut.length)} ids, categories, tags and paths of links to files are left out, because Apache reads .htaccess at every request and needs a rule for each name that no rule can turn into its file's name (one with characters other than letters, digits, spaces, ".", "_" and "-", a long one, or a reserved one such as index): records with these ids and files at these paths are answered with 404, and ${found}`;
}
