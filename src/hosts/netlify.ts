import { functionConfiguration, functionStart } from "./functions.ts";
import { constantFile, type HostConfiguration, type HostInput } from "./host.ts";
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
      constantFile("netlify/netlify.toml"),
      { path: "netlify/edge-functions/archive.js", content: script },
    ],
    limits: [
      "every request runs the edge function, and once more for each file that it reads; plans have a number of runs a month",
      files > mostFilesInFolder &&
        `Netlify takes ${grouped(mostFilesInFolder)} files in one folder, and this archive has ${grouped(files)} in all its folders`,
    ],
  });
}
