import type { Paths } from "../config.ts";
import { StoreError } from "../errors.ts";
import { descriptionFile, type MirrorDescription } from "../routes/description.ts";
import { attachmentRoutes, mediaKinds, type Rules } from "../routes/rules.ts";
import type { Server } from "./fetch.ts";

/** What a mirror says of itself; undefined where it says nothing. @throws StoreError where no mirror answers */
export async function readDescription(server: Server, baseUrl: string) {
  const url = `${baseUrl}/${descriptionFile}`;
  const answer = await server.ask(url, { accept: "application/json", keep: true });
  if (answer.failed !== undefined) {
    const hint = "check the mirror's address: scheme, host, port, and the path of the API in it";
    throw new StoreError(`${baseUrl}: ${answer.failed}`, { hint });
  }
  if (answer.status === 401 || answer.status === 403) {
    const hint = "name the environment variable that holds it with --mirror-token-env";
    throw new StoreError(`${baseUrl}: ${answer.status}, the mirror demands a token`, { hint });
  }
  if (answer.status !== 200) return undefined;
  try {
    const value = JSON.parse(String(answer.bytes)) as MirrorDescription | null;
    const { filters, slots, endpoints } = value?.rules ?? ({} as Partial<Rules>);
    const isWhole = [filters, slots?.widths, endpoints].every(Array.isArray);
    return value?.stillpress === 1 && isWhole ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The origin's paths, as the rules of its mirror have them, in the form of `origin.paths`. */
export function pathsOf({ endpoints }: Rules): Paths {
  const attached = attachmentRoutes.map(({ path }) => path);
  const names = ["image", "galleries", "categories", "tags", ...mediaKinds, ...attached];
  const paths = Object.fromEntries(names.map((name): [string, string | null] => [name, null]));
  for (const { target, path, query } of endpoints) {
    const name = nameOf(target);
    if (name === undefined || !(name in paths)) continue;
    const parameters = query.map(([name, value]) => `${name}=${value}`).join("&");
    paths[name] = parameters === "" ? path : `${path}?${parameters}`;
  }
  return paths as Paths;
}

function nameOf(target: Rules["endpoints"][number]["target"]): string | undefined {
  if (target.route === "single") return target.index === "images" ? "image" : undefined;
  if (target.route !== "attachments") return target.index;
  const { parent, kind } = target;
  return attachmentRoutes.find((one) => one.parent === parent && one.kind === kind)?.path;
}
