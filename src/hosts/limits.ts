import { lineText } from "../lib/foreign.ts";
import { fullSlot, type SlotTable } from "../routes/slots.ts";
import type { HostInput, LinkedPath } from "./host.ts";
import { quoted } from "./lookup.ts";
import { literal, spelled } from "./patterns.ts";

/** What a host that makes no images does with sizes that were not precomputed. */
export function sizeLimits(slots: SlotTable): string[] {
  const most = slots.largest === fullSlot ? "the original's size" : "the largest precomputed one";
  return [
    `images in a width, height or scale that was not precomputed are answered with the nearest larger one, up to ${most}`,
    "images in a width and height together that were not precomputed are answered with the nearest larger one of nearly that shape, or with 404 where there is none",
  ];
}

/** Comment at the start of a server's configuration. @param name of the server, as its makers write it */
export function notice(name: string, limits: readonly string[], usage: string): string {
  return `# Written by stillpress for one build; write it again after the next: stillpress hosts ${name.toLowerCase()}
${usage}
# What ${name} cannot reproduce:
${limits.map((limit) => `# - ${lineText(limit)}`).join("\n")}
`;
}

/** Bytes of a name's longest spelling: nginx takes words of 4,096, Apache lines of 8,192. */
const longestName = 3_600;
/** So many names fit into the rules of no host; above that, the rules are not even written to be measured. */
const mostNames = 60_000;

/**
 * A host's rules with as many of the ids and names that need rules of their own as it takes: all of them, those of
 * categories and tags, or none. Names that are too long for a rule are left out of each.
 *
 * @param most rules that the host takes; characters, if the rules are a text
 * @param need what so many of them are, behind their number, and why they are too many
 */
export function rulesThatFit<Rules extends { length: number }>(
  input: HostInput,
  rulesOf: (input: HostInput) => Rules,
  most: number,
  need: string,
): { rules: Rules; limits: string[] } {
  const names = input.names.filter(({ value }) => fitsIntoRule(value));
  const files = input.linked.files.filter(({ path }) => fitsIntoRule(path));
  const long = input.names.length - names.length + input.linked.files.length - files.length;
  const tooLong = `${grouped(long)} names and paths of links are too long for a rule: ${left}`;
  const limits = long === 0 ? [] : [tooLong];
  const choices: [names: HostInput["names"], files: LinkedPath[], leftOut: string][] = [
    [names, files, ""],
    [names.filter(({ isFilter }) => isFilter), [], "ids"],
    [[], [], "ids, categories, tags"],
  ];
  let needed = "";
  for (const [some, linked, leftOut] of choices) {
    const count = some.length + linked.filter(({ path, folder }) => path !== folder).length;
    const part = { ...input, names: some, linked: { ...input.linked, files: linked } };
    const rules = count > mostNames ? undefined : rulesOf(part);
    if (rules !== undefined && (rules.length <= most || some.length + linked.length === 0)) {
      const limit = `${leftOut} and paths of links to files that are not their own file names would need ${needed}: ${left}`;
      return { rules, limits: leftOut === "" ? limits : [...limits, limit] };
    }
    needed ||= rules ? `${grouped(rules.length)} ${need}` : `rules for ${grouped(count)} names`;
  }
  throw new RangeError("the last choice has no names");
}

const left = "they are left out, and requests for them answered with 404";

function fitsIntoRule(name: string): boolean {
  // However it is spelled: 29 characters for each of its own at most.
  if (name.length <= 100) return true;
  if (name.length > longestName) return false;
  const forms = /^[\w.~-]*$/.test(name) ? [] : [spelled(name), literal(name)];
  return forms.every((form) => Buffer.byteLength(quoted(form)) <= longestName);
}

/** "1,234" */
export function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
