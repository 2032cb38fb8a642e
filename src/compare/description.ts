import type { Paths } from "../config.ts";
import { StoreError } from "../errors.ts";
import { descriptionFile, type MirrorDescription } from "../routes/description.ts";
import { attachmentRoutes, type Rules } from "../routes/rules.ts";
import type { Server } from "./fetch.ts";

/**
 * What a mirror says of itself; undefined where it says nothing.
 *
 * @param baseUrl of the mirror, without a slash at the end
 * @throws StoreError where no mirror answers there
 */
export async function readDescription(
  server: Server,
  baseUrl: string,
): Promise<MirrorDescription | undefined> {
  const answer = await server.ask(`${baseUrl}/${descriptionFile}`, {
    accept: "application/json",
    keep: true,
  });
  if ("failed" in answer) {
    throw new StoreError(`${baseUrl}: ${answer.failed}`, {
      hint: "check the mirror's address: scheme, host, port, and the path of the API in it",
    });
  }
  if (answer.status === 401 || answer.status === 403) {
    throw new StoreError(`${baseUrl}: ${answer.status}, the mirror demands a token`, {
      hint: "name the environment variable that holds it with --mirror-token-env",
    });
  }
  if (answer.status !== 200) return undefined;
  try {
    const value = JSON.parse(String(answer.bytes)) as Partial<MirrorDescription> | null;
    return value?.stillpress === 1 && isRules(value.rules)
      ? (value as MirrorDescription)
      : undefined;
  } catch {
    return undefined;
  }
}

function isRules(rules: Partial<Rules> | undefined): boolean {
  const { filters, slots, endpoints } = rules ?? {};
  return Array.isArray(filters) && Array.isArray(slots?.widths) && Array.isArray(endpoints);
}

/** The origin's paths, as the rules of its mirror have them, in the form of `origin.paths`. */
export function pathsOf({ endpoints }: Rules): Paths {
  const paths: Partial<Record<keyof Paths, string>> = {};
  for (const { target, path, query } of endpoints) {
    const parameters = query.map(([name, value]) => `${name}=${value}`).join("&");
    const template = parameters === "" ? path : `${path}?${parameters}`;
    if (target.route === "attachments") {
      const { parent, kind } = target;
      const found = attachmentRoutes.find((one) => one.parent === parent && one.kind === kind);
      if (found !== undefined) paths[found.path] = template;
    } else if (target.route === "single" && target.index === "images") paths.image = template;
    else if (target.route === "index" && /^(?:videos|documents|audio)$/.test(target.index)) {
      paths[target.index as "videos"] = template;
    }
  }
  const names = [...attachmentRoutes.map(({ path }) => path), "image", "videos"] as const;
  const all = [...names, "documents", "audio"] as const;
  return Object.fromEntries(all.map((name) => [name, paths[name] ?? null])) as unknown as Paths;
}
