import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import type { OutputFile } from "../lib/output.ts";
import { mirrorFiles } from "../mirror/files.ts";
import { openSite } from "../site/render.ts";
import type { Templates } from "../site/templates.ts";
import type { Addresses } from "./addresses.ts";
import { withoutUnprovedIds } from "./canaries.ts";
import type { LeakGuard } from "./leaks.ts";
import { websiteFiles, withText } from "./website.ts";

interface Means {
  theme: Templates;
  guard: LeakGuard;
  addresses: Addresses;
}

/** All files of the publish root, always in the same order: those of the website, then those of the mirror. */
export function* archiveFiles(
  catalogue: Catalogue,
  config: Config,
  { theme, guard, addresses }: Means,
): Generator<OutputFile> {
  const site = openSite({ catalogue: withoutUnprovedIds(catalogue), config }, theme);
  yield* websiteFiles(site, guard, addresses);
  // A signature may be known only by a later answer.
  for (const file of mirrorFiles(catalogue, config)) yield withText(file, guard.unsigned);
}
