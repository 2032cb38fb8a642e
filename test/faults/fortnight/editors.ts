import type { ChangeKind, fates } from "../../../src/changes/changes.ts";
import type { Content } from "../../../src/demo/model.ts";
import type { Dice } from "../../../src/lib/random.ts";

/** A change that `diff` must tell. */
export interface Told {
  kind: ChangeKind;
  id: string;
  what: (typeof fates)[number];
  /** What its page must say; absent where it has no page. */
  text?: string;
}

/** What editors did during a day. */
export interface Day {
  told: Told[];
  /** Ids of items that `diff` may tell besides: they show what was changed, or were changed without a trace. */
  concerned: string[];
}

/** Editors of an origin, who know what they did. */
export interface Editors {
  /** New articles, a new gallery and a new image. */
  insert(): Day;
  edit(): Day;
  /** An edit of a body that no index shows. */
  editInSilence(): Day & { id: string; text: string };
  remove(): Day;
  /** Ids of the image are in `told`. */
  hideImage(): Day;
  showImageAgain(): Day;
  editImage(): Day;
}

const hour = 3_600_000;

export function createEditors(content: Content, dice: Dice): Editors {
  const { articles, galleries, images } = content;
  const touched = new Set<string>();
  let made = 0;
  let hidden = "";
  /** One that no editor has touched yet. */
  const fresh = <T extends { id: string }>(items: Iterable<T>): T => {
    const one = dice.pick([...items].filter(({ id }) => !touched.has(id)));
    touched.add(one.id);
    return one;
  };
  const withNumber = (id: string): string => `${id.slice(0, -4)}${1000 + ++made}`;
  const ownersOf = (id: string): string[] =>
    [...articles, ...galleries].filter(({ images }) => images.includes(id)).map(({ id }) => id);
  const attached = () => [...images].filter((one) => !one.private && ownersOf(one.id).length > 0);
  const newest = Math.max(...[...articles].map(({ publishedAt }) => publishedAt));
  const insertOne = (kind: "articles" | "galleries"): Told => {
    const id = withNumber(content[kind].at(0)?.id ?? "");
    const text = `News ${made}`;
    const news = { id, title: text, slug: `news-${made}`, publishedAt: newest + made * hour };
    if (kind === "articles") articles.add({ ...fresh(articles), ...news });
    else galleries.add({ ...fresh(galleries), ...news });
    touched.add(id);
    return { kind, id, what: "new", text };
  };
  const retitle = (kind: "articles" | "galleries"): Told => {
    const { id } = fresh(content[kind]);
    const text = `A title of day ${++made}`;
    if (kind === "articles") articles.edit(id, { title: text });
    else galleries.edit(id, { title: text });
    return { kind, id, what: "changed", text };
  };

  return {
    insert() {
      const image = fresh(attached());
      const id = withNumber(image.id);
      const text = `Picture of day ${made}`;
      images.add({ ...image, id, title: text, createdAt: image.createdAt + made });
      const told = [insertOne("articles"), insertOne("articles"), insertOne("galleries")];
      return { told: [...told, { kind: "images", id, what: "new", text }], concerned: [] };
    },
    edit() {
      return {
        told: [retitle("articles"), retitle("articles"), retitle("galleries")],
        concerned: [],
      };
    },
    editInSilence() {
      const { id } = fresh(articles);
      const text = `Written in silence on day ${++made}.`;
      articles.edit(id, { body: `<p>${text}</p>` });
      return { told: [], concerned: [id], id, text };
    },
    remove() {
      const [article, gallery] = [fresh(articles), fresh(galleries)];
      articles.remove(article.id);
      galleries.remove(gallery.id);
      const what = "removed" as const;
      return {
        told: [
          { kind: "articles", id: article.id, what },
          { kind: "galleries", id: gallery.id, what },
        ],
        concerned: [],
      };
    },
    hideImage() {
      hidden = fresh(attached()).id;
      images.edit(hidden, { private: true });
      return {
        told: [{ kind: "images", id: hidden, what: "withdrawn" }],
        concerned: ownersOf(hidden),
      };
    },
    showImageAgain() {
      const { title: text } = images.edit(hidden, { private: false });
      return {
        told: [{ kind: "images", id: hidden, what: "new", text }],
        concerned: ownersOf(hidden),
      };
    },
    editImage() {
      const { id } = fresh(attached());
      const text = `A picture's title of day ${++made}`;
      images.edit(id, { title: text });
      return { told: [{ kind: "images", id, what: "changed", text }], concerned: ownersOf(id) };
    },
  };
}
