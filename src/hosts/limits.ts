import { fullSlot, type SlotTable } from "../routes/slots.ts";

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

/** What is left out where a host cannot have a rule for each name. */
export function namesLeftOut(needed: number, rules: string, most: string): string {
  return `ids, categories, tags and paths of links to files that are not their own file names would need ${grouped(needed)} ${rules}, and ${most}: they are left out, and requests for them answered with 404`;
}

/** "1,234" */
export function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
