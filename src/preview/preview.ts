import { statSync } from "node:fs";
import { basename } from "node:path";
import { knownTokens, type LoadedConfig } from "../config/load.ts";
import type { Config } from "../config.ts";
import { ConfigError, readable, StillpressError } from "../errors.ts";
import { typeOfPath } from "../lib/content-type.ts";
import { keyOf, sha256 } from "../lib/digest.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import type { OutputFile } from "../lib/output.ts";
import { withoutUnprovedIds } from "../publish/canaries.ts";
import type { LeakGuard } from "../publish/leaks.ts";
import { publishedRecord } from "../publish/record.ts";
import { outputPaths, publishedBuild } from "../publish/swap.ts";
import { openShown, type ShownSnapshot, websiteFiles } from "../publish/website.ts";
import type { ArchiveFile, ArchiveFiles } from "../serve/archive.ts";
import { fileInMemory } from "../serve/content.ts";
import { openFolder } from "../serve/folder.ts";
import { assetFiles, openSite } from "../site/render.ts";
import type { Site } from "../site/site.ts";
import { type Templates, templateFiles } from "../site/templates.ts";
import { loadTheme } from "../site/theme.ts";
import { openStore, type Store } from "../store/store.ts";
import { withReload } from "./open-pages.ts";

export interface PreviewOptions {
  out: string;
  /** Folder of the mirror below the publish root, such as "api/v1". */
  root: string;
  configFile: string;
  /** Reads the configuration. @throws ConfigError */
  load: () => LoadedConfig;
}

/** States of files by the names that people know them by. */
export type States = ReadonlyMap<string, string>;

/** The website of a snapshot, planned: its files are made when they are asked for. */
interface Planned {
  /** Key over everything that the plan depends on. */
  key: string;
  store: Store;
  site: Site;
  guard: LeakGuard;
  files: Map<string, OutputFile>;
}

/**
 * The published snapshot's website as a build would make it now: with the theme and the `site` settings of this moment.
 * Each page is rendered when it is asked for. Everything else is what is published, and nothing is written.
 */
export class Preview implements ArchiveFiles {
  readonly #options: PreviewOptions;
  readonly #published: ArchiveFiles;
  #loaded: LoadedConfig;
  #planned: Planned | undefined;
  #version = "";
  failure: StillpressError | undefined;
  /** The states of the files that the pages are made from, when they were read last. */
  seen: States = new Map();

  /** `refresh` makes it ready. @throws ConfigError for a wrong configuration */
  constructor(options: PreviewOptions) {
    this.#options = options;
    this.#published = openFolder(outputPaths(options.out).public);
    this.#loaded = options.load();
  }

  /** Another text means that pages may be others. */
  version(): string {
    return this.#version;
  }

  /** Reads theme and configuration again. What is wrong with them becomes `failure`. */
  async refresh(): Promise<void> {
    try {
      this.seen = this.look();
      this.#loaded = this.#options.load();
      // It may name another folder.
      this.seen = this.look();
      const { config, templates } = this.#loaded;
      const theme = await loadTheme(templates, config.site);
      const planned = this.#plan(config, theme);
      this.failure = undefined;
      this.#version = keyOf(planned.key, theme.digest);
    } catch (error) {
      this.failure = expectedFailure(error);
      this.#version = keyOf(this.failure.message);
    }
  }

  /** The states of the files that the pages are made from. */
  look(): States {
    const { config, templates } = this.#loaded;
    const { out, configFile } = this.#options;
    const { logo } = config.site;
    // An editor may be about to exchange a folder.
    const files = new Map(orUndefined(() => templateFiles(templates)));
    files.set(basename(configFile), configFile);
    if (logo !== null) files.set(basename(logo), logo);
    const states = Array.from(files, ([name, file]) => [name, `${file} ${stateOf(file)}`] as const);
    return new Map([...states, ["the published build", readable(() => publishedBuild(out)) ?? ""]]);
  }

  open(path: string): Promise<ArchiveFile | undefined> {
    return this.pinned().open(path);
  }

  /** Pages as they are, and all other files of the build that is published now. */
  pinned(): ArchiveFiles {
    const published = this.#published.pinned?.() ?? this.#published;
    const version = `${this.#version} ${published.version?.()}`;
    return { version: () => version, open: (path) => this.#open(path, published) };
  }

  async #open(path: string, published: ArchiveFiles): Promise<ArchiveFile | undefined> {
    if (path.startsWith(`${this.#options.root}/`)) return published.open(path);
    if (this.failure !== undefined) throw this.failure;
    const file = this.#planned?.files.get(path);
    if (file === undefined) return undefined;
    if (!("content" in file)) return published.open(path);
    const content = file.content();
    this.#planned?.guard.checkText(path, content);
    const isPage = path.endsWith(".html");
    const made = isPage ? withReload(String(content), this.#version) : content;
    const bytes = Buffer.from(made as string);
    return fileInMemory({ bytes, etag: sha256(bytes).slice(0, 32), type: typeOfPath(path) });
  }

  close(): void {
    this.#planned?.store.close();
    this.#planned = undefined;
  }

  /** Plans all files, or only exchanges the theme: to plan the pages of a large archive takes seconds. */
  #plan(config: Config, theme: Templates): Planned {
    const { out } = this.#options;
    const { build, record } = publishedRecord(out);
    const { accent, logo, templates, ...site } = config.site;
    const key = keyOf(build, JSON.stringify(site), [...theme.words].flat());
    if (this.#planned?.key !== key) {
      this.close();
      const { snapshot, settings, withheld } = record;
      const store = openStore(outputPaths(out).store, { readOnly: true });
      try {
        const manifest = store.snapshots.load(snapshot);
        // As the build was made, whatever the other settings are now.
        const asBuilt = { store, manifest, config: { ...config, ...settings }, withheld };
        this.#planned = { key, ...planFiles(asBuilt, theme) };
      } catch (error) {
        store.close();
        throw error;
      }
    }
    const planned = this.#planned;
    planned.site.templates = theme;
    for (const file of assetFiles(theme)) planned.files.set(file.path, file);
    return planned;
  }
}

function planFiles(input: ShownSnapshot, theme: Templates): Omit<Planned, "key"> {
  const { store, config } = input;
  const secrets = knownTokens(config.origin);
  const { catalogue, guard } = openShown({ ...input, secrets });
  const site = openSite({ catalogue: withoutUnprovedIds(catalogue), config }, theme);
  const files = new Map<string, OutputFile>();
  for (const file of websiteFiles(site, guard)) files.set(file.path, file);
  return { store, site, guard, files };
}

/** What tells a saved file from the one before it: editors write a new file, or into the old one. */
function stateOf(file: string): string {
  const stat = orUndefined(() => statSync(file));
  return stat === undefined ? "" : [stat.ino, stat.size, stat.mtimeMs].join();
}

/** A failure to show. A file may be gone, or locked, between two moments of its being saved. */
function expectedFailure(error: unknown): StillpressError {
  if (error instanceof StillpressError) return error;
  if (!(error instanceof Error && "code" in error && "path" in error)) throw error;
  return new ConfigError(error.message, { cause: error });
}
