import { fullSlot, type SlotTable } from "../routes/slots.ts";
import { isUsualLink } from "./edge-requests.ts";
import type { HostInput } from "./host.ts";

/**
 * What a host that makes no images does with sizes that were not precomputed. It `finds` the nearest larger size and
 * box, the exact box and the nearest larger size, or no larger size.
 */
export function sizeLimits(slots: SlotTable, finds: "boxes" | "exact" | "none"): string[] {
  const most = slots.largest === fullSlot ? "the original's size" : "the largest precomputed one";
  const size = finds === "none" ? most : `the nearest larger one, up to ${most}`;
  const box =
    finds === "boxes"
      ? "with the nearest larger one of nearly that shape, or with 404 where there is none"
      : "with 404";
  return [
    `images in a width, height or scale that was not precomputed are answered with ${size}`,
    `images in a width and height together that were not precomputed are answered ${box}`,
  ];
}

/** What a host does with the old addresses of pages that its rules leave out. */
export function oldAddressLimits(leftOut: number): string[] {
  if (leftOut === 0) return [];
  return [
    `${grouped(leftOut)} former addresses of pages, which redirects.json lists, are answered with 404`,
  ];
}

/** The limits of a list but for those that do not hold. */
export function limitsThatHold(limits: readonly (string | false)[]): string[] {
  return limits.filter((limit) => limit !== false);
}

/** Comment at the start of a server's configuration. @param name of the server, as its makers write it */
export function notice(name: string, limits: readonly string[], usage: string): string {
  return `# Written by stillpress for one build; write it again after the next: stillpress hosts ${name.toLowerCase()}
${usage}
# What ${name} cannot reproduce:
${limits.map((limit) => `# - ${limit}`).join("\n")}
`;
}

/**
 * A host's rules with as many of the ids and names that need rules of their own as it takes: all of them, those of
 * categories and tags, or none.
 *
 * @param most rules that the host takes; characters, if the rules are a text
 * @param need what so many rules would be, and why they are too many
 */
export function rulesThatFit<Rules extends { length: number }>(
  input: HostInput,
  rulesOf: (input: HostInput) => Rules,
  most: number,
  need: (length: string) => string,
): { rules: Rules; limits: string[] } {
  const all = rulesOf(input);
  if (all.length <= most) return { rules: all, limits: [] };
  const linked = { ...input.linked, files: input.linked.files.filter(isUsualLink(input)) };
  const filters = input.names.filter(({ isFilter }) => isFilter);
  const ofFilters = rulesOf({ ...input, names: filters, linked });
  const fits = ofFilters.length <= most;
  const leftOut = fits ? "ids" : "ids, categories, tags";
  const limit = `${leftOut} and paths of links to files that are not their own file names would need ${need(grouped(all.length))}: they are left out, and requests for them answered with 404`;
  return { rules: fits ? ofFilters : rulesOf({ ...input, names: [], linked }), limits: [limit] };
}

/** "1,234" */
export function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
