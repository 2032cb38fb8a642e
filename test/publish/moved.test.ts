import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import type { SnapshotManifest } from "../../src/store/snapshots.ts";
import { article, base, body, ids, image } from "../mirror/fixture.ts";
import { startPublishing } from "./support.ts";

const moved = "https://media.new.test/content/v2";

/** An object as the origin gives it at its new address. */
function atNewAddress<T>(object: T): T {
  const text = JSON.stringify(object)
    .replaceAll(base, moved)
    .replaceAll("https://origin.test", "https://media.new.test");
  return JSON.parse(text) as T;
}

it("keeps every path and link when the service moves, also those of texts that name the old address", async () => {
  const publishing = startPublishing();
  onTestFinished(() => publishing.close());
  const { fixture } = publishing;
  const { snapshots } = fixture.store;
  /** What a reader or a client meets, by path: the pages of the home and the snapshot name the host. */
  const published = (): Record<string, string> => {
    const root = realpathSync(join(publishing.out, "public"));
    const paths = [...walkSorted(root)].filter((path) =>
      /^(?:articles\/|api\/v1\/(?!mirror\.json).*\.json$)/.test(path),
    );
    // What is not in the archive is named by its address of today.
    const atOldAddress = (text: string): string =>
      text.replaceAll(moved, base).replaceAll("https://media.new.test", "https://origin.test");
    return Object.fromEntries(
      paths.map((path) => [path, atOldAddress(readFileSync(join(root, path), "utf8"))]),
    );
  };
  /** Commits what the fixture has, as of the new address. */
  const commit = (): void => {
    const latest = snapshots.latest() as SnapshotManifest;
    snapshots.commit({ ...latest, origin: moved, origins: [base, moved] });
  };
  await publishing.build();
  const before = published();
  expect(Object.keys(before).length).toBeGreaterThan(20);

  commit();
  const sections = { origin: { baseUrl: "https://third.test/api" } };
  await publishing.build(sections);
  expect(published()).toEqual(before);

  const articles = ids.articles.map(article).map(atNewAddress);
  fixture.write("articles", articles);
  const singles = articles.map((one, at) => ({ ...one, body: body(at) }));
  fixture.write("articles.single", singles);
  fixture.write("images", ids.images.map(image).map(atNewAddress));
  commit();
  await publishing.build(sections);
  expect(published()).toEqual(before);
});
