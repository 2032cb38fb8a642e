import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { walkSorted } from "../../src/lib/files.ts";
import { type BuildInput, type BuildResult, buildArchive } from "../../src/publish/build.ts";
import { article, body, type Fixture, ids, makeConfig, makeFixture } from "../mirror/fixture.ts";

/** A small store and an output folder to publish it into. */
export interface Publishing {
  fixture: Fixture;
  out: string;
  build(sections?: Record<string, unknown>, input?: Partial<BuildInput>): Promise<BuildResult>;
  /** Gives the first article another title, and another body where one is given. */
  edit(title: string, html?: string): void;
  /** Name of the published build. */
  shown(): string;
  read(path: string): string;
  /** Paths of published files that hold a text. */
  holding(text: string): string[];
  close(): void;
}

export function startPublishing(): Publishing {
  const fixture = makeFixture();
  const out = mkdtempSync(join(tmpdir(), "stillpress-publish-"));
  symlinkSync(fixture.store.folder, join(out, "store"));
  const root = (): string => realpathSync(join(out, "public"));
  const read = (path: string): string => readFileSync(join(root(), path), "utf8");
  return {
    fixture,
    out,
    build(sections = {}, input = {}) {
      const config = makeConfig(sections);
      const { store } = fixture;
      const templates = join(out, "templates");
      return buildArchive({
        config,
        store,
        out,
        templates,
        allowIncomplete: true,
        ...input,
      });
    },
    edit(title, html = body(0)) {
      const [first = ""] = ids.articles;
      const singles = ids.articles.map((id, at) => ({
        ...article(id, at),
        ...(id === first ? { title } : {}),
        body: id === first ? html : body(at),
      }));
      fixture.write("articles.single", singles);
    },
    shown: () => basename(join(root(), "..")),
    read,
    holding: (text) => [...walkSorted(root())].filter((path) => read(path).includes(text)),
    close() {
      fixture.close();
      rmSync(out, { recursive: true, force: true });
    },
  };
}
