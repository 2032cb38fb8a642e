import { functionConfiguration, functionStart } from "./functions.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped } from "./limits.ts";

/** Files in one folder: docs.netlify.com/site-deploys/overview, "Files per directory limit" */
const mostFilesInFolder = 54_000;

/** An edge function for all requests. All of it belongs beside the publish root `public`. */
export function netlifyConfiguration(input: HostInput): HostConfiguration {
  const { files } = input.totals;
  const start = functionStart("createFunction", [input.rules.root], "../../stillpress");
  const script = `${start}
export const config = { path: "/*" };
export default (request) => answer(request);
`;
  return functionConfiguration(input, {
    files: [
      { path: "netlify.toml", content: settings },
      { path: "netlify/edge-functions/archive.js", content: script },
    ],
    limits: [
      "every request runs the edge function, and once more for each file that it reads; plans have a number of runs a month",
      files > mostFilesInFolder &&
        `Netlify takes ${grouped(mostFilesInFolder)} files in one folder, and this archive has ${grouped(files)} in all its folders`,
    ],
  });
}

const settings = `# Written by stillpress. It belongs beside the publish root, with the other files of its folder.
[build]
  publish = "public"
  command = ""

# Pages have the addresses of their files.
[build.processing]
  skip_processing = true
`;
