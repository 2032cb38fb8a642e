import type { HostConfiguration, HostFile, HostInput } from "./host.ts";
import { sizeLimits } from "./limits.ts";

/** What one host that runs code has of its own. A text that does not apply to this archive is false. */
interface OwnPart {
  files: HostFile[];
  limits: (string | false)[];
  exceeded?: (string | false)[];
}

/** The configuration of a host that runs the archive's handler, in the modules of `serve/functions.ts`. */
export function functionConfiguration(
  { modules, rules }: HostInput,
  { files, limits, exceeded = [] }: OwnPart,
): HostConfiguration {
  const missing =
    "the handler's compiled modules were not found, without which nothing is answered";
  const some = (texts: (string | false)[]): string[] => texts.filter((text) => text !== false);
  return {
    files: [
      ...files,
      { path: "package.json", content: '{ "private": true, "type": "module" }\n' },
      ...modules.map(({ path, content }) => ({ path: `stillpress/${path}`, content })),
    ],
    limits: some([
      ...sizeLimits(rules.slots),
      "steps out of a folder are resolved before the function sees them, instead of being refused with 400",
      ...limits,
    ]),
    exceeded: some([modules.length === 0 && missing, ...exceeded]),
    runsHandler: true,
  };
}

/** The beginning of a function's file: makes `answer` with a function of `serve/functions.ts`. */
export function functionStart(name: string, values: unknown[], modules = "./stillpress"): string {
  const written = values.map((value) => JSON.stringify(value)).join(", ");
  return `// Written by stillpress: answers requests for the archive from its files.
import { ${name} } from "${modules}/serve/functions.js";

const answer = ${name}(${written});
`;
}
