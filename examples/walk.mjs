#!/usr/bin/env node
// Follows `links.next` from one URL of a list to its end and prints the id of every item, once for each.
// It knows nothing of archives: any server whose lists are linked as the API document says will do.
//
//   node examples/walk.mjs http://127.0.0.1:8000/api/v1/articles/index.json

/** Every item of a list, in its order; `headers` go with each request. */
export async function* walk(url, headers = {}) {
  for (let page = 1; url !== null; page++) {
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    const { data, links, meta } = await response.json();
    if (Number(meta.current_page) !== page) throw new Error(`${url} is not page ${page}`);
    if ((links.next === null) !== (page === Number(meta.last_page))) {
      throw new Error(`${url}: the links do not end with page ${meta.last_page}`);
    }
    yield* data;
    url = links.next && new URL(links.next, response.url).href;
  }
}

if (import.meta.filename === process.argv[1]) {
  for await (const { id } of walk(process.argv[2])) console.log(id);
}
