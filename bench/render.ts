/**
 * Renders a synthetic archive and compares it with bare writes of the same files, and with Hugo and Eleventy
 * where they are installed. `npm run bench:render -- --articles 10000`
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigSchema } from "../src/config.ts";
import { walkSorted } from "../src/lib/files.ts";
import { buildArchive } from "../src/publish/build.ts";
import type { ListName } from "../src/store/list-names.ts";
import { type ItemCollection, normalise } from "../src/store/records.ts";
import type { Ref } from "../src/store/snapshots.ts";
import { openStore } from "../src/store/store.ts";
import { benchOptions, inChild, median, printTable, report } from "./lib.ts";

const { sizes, part, args } = benchOptions({ articles: 2000, runs: 3 });
const file = fileURLToPath(import.meta.url);
const base = "https://origin.example/api/v1";
const config = ConfigSchema.parse({ origin: { baseUrl: base }, site: { title: "Bench" } });
const folder = process.env.BENCH_FOLDER ?? "";

const words = "tide harbour lantern meadow granite ferry orchard winter signal market".split(" ");

function article(n: number) {
  const paragraph = (k: number): string =>
    `<p>${Array.from({ length: 80 }, (_, i) => words[(n * 7 + k * 3 + i * i) % words.length]).join(" ")}.</p>`;
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const day = new Date(Date.UTC(2024, 11, 31) - n * 7_200_000).toISOString();
  const category = n % 12;
  const index = {
    id,
    title: `Article ${n} about the ${words[n % words.length]}`,
    slug: `article-${n}`,
    synopsis: "What happened, and what it meant to those who were there.",
    published_at: day,
    created_at: day,
    category: {
      id: `10000000-0000-4000-8000-${String(category).padStart(12, "0")}`,
      title: `Category ${category}`,
    },
    tags: [`tag-${n % 40}`, `tag-${(n * 3) % 40}`],
    links: { view: `https://origin.example/articles/article-${n}`, thumbnail: null },
    attachments: { images: 0, videos: 0, documents: 0, audio: 0 },
  };
  const body = `<h2>First</h2>${[1, 2, 3, 4].map(paragraph).join("")}<h2>Second</h2>${[5, 6, 7, 8].map(paragraph).join("")}`;
  return { index, single: { ...index, body } };
}

/** Fills a store as a crawl would have: articles, categories and tags. */
function prepare(): void {
  const store = openStore(join(folder, "store"));
  const put = (collection: ItemCollection, object: object): Ref => {
    const result = normalise(collection, object, "auto");
    if ("error" in result) throw new Error(result.error);
    const raw = JSON.stringify(object);
    return { id: result.id, digest: store.objects.put(collection, result.id, result.normal, raw) };
  };
  const refs: Partial<Record<ListName, Ref[]>> = { articles: [], "articles.single": [] };
  for (let n = 0; n < sizes.articles; n++) {
    const { index, single } = article(n);
    refs.articles?.push(put("articles", index));
    refs["articles.single"]?.push(put("articles.single", single));
  }
  refs.categories = Array.from({ length: 12 }, (_, n) =>
    put("categories", {
      id: `10000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
      title: `Category ${n}`,
      slug: `category-${n}`,
      order: n,
      articles_count: 1,
    }),
  );
  refs.tags = Array.from({ length: 40 }, (_, n) =>
    put("tags", { slug: `tag-${n}`, title: `Tag ${n}` }),
  );
  const meta = {
    current_page: 1,
    from: 1,
    to: 20,
    last_page: Math.ceil(sizes.articles / 20),
    per_page: 20,
    total: sizes.articles,
    path: `${base}/articles`,
    links: [],
  };
  const links = {
    first: `${base}/articles?page=1`,
    last: `${base}/articles?page=2`,
    prev: null,
    next: `${base}/articles?page=2`,
  };
  const envelope = JSON.stringify({ data: [], links, meta });
  const lists = Object.fromEntries(
    Object.entries(refs).map(([name, list]) => [
      name,
      store.snapshots.saveList({
        refs: list,
        perPage: name === "articles" ? 20 : 0,
        envelope: name === "articles" ? envelope : null,
        overrides: {},
      }),
    ]),
  );
  store.snapshots.commit({
    time: "2025-01-01T00:00:00.000Z",
    origin: base,
    complete: true,
    lists,
    proof: [],
    problems: [],
  });
  store.close();
}

async function build(): Promise<void> {
  const store = openStore(join(folder, "store"));
  await buildArchive({
    config,
    store,
    out: folder,
    templates: join(folder, "none"),
  });
  store.close();
}

/** The floor: the same files with the same content, written in one go without any thought. */
function bareWrites(): void {
  const source = join(folder, "public");
  const contents = [...walkSorted(source)].map(
    (path) => [path, readFileSync(join(source, path))] as const,
  );
  const target = mkdtempSync(join(folder, "bare-"));
  const folders = new Set<string>();
  void report(() => {
    for (const [path, bytes] of contents) {
      const full = join(target, path);
      if (!folders.has(dirname(full))) mkdirSync(dirname(full), { recursive: true });
      folders.add(dirname(full));
      writeFileSync(full, bytes);
    }
  });
}

if (part === "prepare") await report(prepare);
else if (part === "build") await report(build);
else if (part === "bare") bareWrites();
else {
  const created = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
  process.env.BENCH_FOLDER = created;
  try {
    const times = Array.from({ length: sizes.runs });
    inChild(file, "prepare", args);
    const full = median(
      times.map((_, n) => {
        // Moved away, not removed: creating files right after removing as many is several times slower.
        if (n > 0) renameSync(join(created, "builds"), join(created, `builds-${n}`));
        rmSync(join(created, "public"), { force: true });
        return inChild(file, "build", args);
      }),
    );
    const again = median(times.map(() => inChild(file, "build", args)));
    const bare = median(times.map(() => inChild(file, "bare", args)));
    const count = [...walkSorted(join(created, "public"))].length;
    printTable(
      `render: ${sizes.articles} articles, ${count} files, median of ${sizes.runs}`,
      [
        { name: "bare writes", figures: bare },
        { name: "full build", figures: full },
        { name: "unchanged build", figures: again },
      ],
      "bare writes",
    );
  } finally {
    rmSync(created, { recursive: true, force: true });
  }
}
