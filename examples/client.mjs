#!/usr/bin/env node
// A client of the API, written from its document alone: it prints what a newsroom's front page would be made of.
// It does not know whether it talks to the service or to an archive of it; only the base URL differs.
//
//   API_TOKEN=… node examples/client.mjs https://media.example.org/api/v1
//   node examples/client.mjs https://archive.example.org/api/v1

/** A client of the API at `baseUrl`; the token may be left out where none is asked for. */
export function createClient(baseUrl, token) {
  const headers = {
    Accept: "application/json",
    "Content-Type": "application/json",
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };

  async function get(url) {
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`GET ${url}: ${response.status}`);
    return response.json();
  }

  function endpoint(path, parameters = {}) {
    const query = new URLSearchParams(parameters);
    return `${baseUrl}${path}${query.size > 0 ? `?${query}` : ""}`;
  }

  async function* list(path, parameters) {
    for (let url = endpoint(path, parameters); url !== null; ) {
      const { data, links } = await get(url);
      yield* data;
      url = links.next;
    }
  }

  return {
    /** Items of a paginated list from its first page to its last. */
    list,
    /** One page of a list with its envelope. */
    page: (path, parameters) => get(endpoint(path, parameters)),
    /** One object, or a list that has no pages. */
    one: async (path) => (await get(endpoint(path))).data,
    /** Bytes and type of an image; links of images are requested as given, without the token. */
    async image(link, scaling = {}) {
      const url = new URL(link);
      for (const [name, value] of Object.entries(scaling)) url.searchParams.set(name, value);
      const response = await fetch(url);
      if (!response.ok) throw new Error(`GET ${url.origin}${url.pathname}: ${response.status}`);
      return {
        type: response.headers.get("content-type"),
        bytes: new Uint8Array(await response.arrayBuffer()),
      };
    },
  };
}

/** What a front page needs: the newest articles of each category and tag, in full, with their pictures. */
export async function frontPage(client, { categories = 3, articles = 2 } = {}) {
  const sections = [];
  for (const { title, slug, id } of (await client.one("/categories")).slice(0, categories)) {
    const bySlug = await client.page("/articles", { category: slug });
    const byId = await client.page("/articles", { category: id });
    const stories = [];
    for (const item of bySlug.data.slice(0, articles)) {
      const story = await client.one(`/articles/${item.id}`);
      const images = [];
      for await (const image of client.list(`/articles/${item.id}/images`)) {
        images.push({ id: image.id, caption: image.caption, ...image.dimensions });
      }
      stories.push({
        title: story.title,
        category: story.category.title,
        publishedAt: new Date(story.published_at).toISOString(),
        tags: story.tags,
        images,
      });
    }
    sections.push({ title, total: bySlug.meta.total, same: byId.meta.total, stories });
  }
  const tags = [];
  for (const { slug } of (await client.one("/tags")).slice(0, 5)) {
    tags.push({ slug, total: (await client.page("/articles", { tags: slug })).meta.total });
  }
  return { sections, tags };
}

/** Titles by month of everything that was published in a year. */
export async function yearInReview(client, year) {
  const months = {};
  for (let month = 1; month <= 12; month++) {
    const titles = [];
    for await (const { title } of client.list("/articles", { year, month })) titles.push(title);
    months[month] = titles;
  }
  return months;
}

/** One row for each image of the newest gallery: the sizes that its links lead to. */
export async function contactSheet(client, measure) {
  const [gallery] = (await client.page("/galleries")).data;
  const rows = [];
  for await (const { id, title, links } of client.list(`/galleries/${gallery.id}/images`)) {
    rows.push({
      id,
      title,
      thumbnail: await measure(await client.image(links.thumbnail.square)),
      web: await measure(await client.image(links.web)),
      small: await measure(await client.image(links.web, { width: 320 })),
      banner: await measure(await client.image(links.web, { width: 600, height: 400 })),
    });
  }
  return rows;
}

/** Every gallery from the first page of the list to the last, each read by itself and with all its images in order. */
export async function galleries(client) {
  const found = [];
  for await (const { id } of client.list("/galleries")) {
    const { title, attachments } = await client.one(`/galleries/${id}`);
    const images = [];
    for await (const image of client.list(`/galleries/${id}/images`)) images.push(image.id);
    found.push({ id, title, announced: attachments.images, images });
  }
  return found;
}

if (import.meta.filename === process.argv[1]) {
  const client = createClient(process.argv[2], process.env.API_TOKEN);
  const measure = ({ type, bytes }) => `${type}, ${bytes.length} bytes`;
  const [newest] = (await client.page("/articles")).data;
  const year = new Date(newest.published_at).getUTCFullYear();
  console.log(
    JSON.stringify(
      {
        front: await frontPage(client),
        year: await yearInReview(client, year),
        galleries: await galleries(client),
        gallery: await contactSheet(client, measure),
      },
      null,
      2,
    ),
  );
}
