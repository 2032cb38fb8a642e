import type { Random } from "./random.ts";

/**
 * Another way to write the query of a request that means the same: parameters and tags in another order, commas
 * escaped, parameters of a signature that a mirror does not look at.
 *
 * @param query begins with "?", or is empty
 */
export function respelled(query: string, random: Random, signed: boolean): string {
  let parameters = query === "" ? [] : query.slice(1).split("&");
  if (random.chance(0.4)) parameters = random.shuffled(parameters);
  parameters = parameters.map((parameter) => {
    if (!parameter.startsWith("tags=")) return parameter;
    const tags = parameter.slice("tags=".length).split(",");
    return `tags=${random.shuffled(tags).join(random.chance(0.4) ? "%2C" : ",")}`;
  });
  if (signed && random.chance(0.3)) {
    parameters.unshift(`expires=${1_000_000_000 + random.below(1_000_000_000)}`);
    parameters.push(`signature=${hex(random, 64)}`);
  }
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

function hex(random: Random, length: number): string {
  let text = "";
  while (text.length < length) text += random.below(16).toString(16);
  return text;
}
