import fc from "fast-check";
import { type ApiRequest, createTable } from "../../src/routes/table.ts";
import { type Archive, namesIn, oddValues } from "./expected.ts";

/** URLs of requests whose answers are files, in the API's own form. */
export function* knownTargets(archive: Archive): Generator<string> {
  const { rules } = archive.input;
  const table = createTable(rules);
  const inFolder = (folder: string): string[] => valuesIn(archive, folder);
  const ids = {
    articles: inFolder("articles").slice(0, 20),
    galleries: inFolder("galleries").slice(0, 20),
    images: inFolder("images/by/thumb/square"),
  };
  const url = (request: ApiRequest): string => `/${rules.root}${table.pathOf(request) ?? "/none"}`;
  for (const { target } of rules.endpoints) {
    if (target.route === "all") yield url(target);
    else if (target.route === "index") {
      for (const page of [1, 2, 3]) yield url({ ...target, page });
    } else if (target.route === "single") {
      for (const id of ids[target.index]) yield url({ ...target, id });
    } else for (const id of ids[target.parent]) yield url({ ...target, id, page: 1 });
  }
  const index = { route: "index", index: "articles" } as const;
  for (const { written, ending } of archive.input.linked.files) {
    if (ending === ".mp4") yield `/${rules.root}${written}`;
  }
  const years = inFolder("articles/by/year").map(Number);
  for (const category of inFolder("articles/by/category")) {
    yield url({ ...index, page: 1, filters: { category } });
    for (const year of years) yield url({ ...index, page: 1, filters: { year, category } });
  }
  const tags = inFolder("articles/by/tags");
  for (const tag of tags) {
    for (const page of [1, 2]) yield url({ ...index, page, filters: { tags: [tag] } });
    for (const other of tags.slice(0, 2).filter((one) => one !== tag)) {
      yield url({ ...index, page: 1, filters: { tags: [tag, other] } });
      yield url({ ...index, page: 1, filters: { tags: [other, tag] } });
    }
  }
  for (const year of years) {
    yield url({ ...index, page: 1, filters: { year } });
    yield url({ route: "index", index: "galleries", page: 1, filters: { year } });
    for (const month of [1, 5, 12]) yield url({ ...index, page: 1, filters: { year, month } });
  }
  const linked = `${rules.root}/images/by/web`;
  for (const name of namesIn(archive, linked)) yield `/${linked}/${name}.jpg`;
  for (const id of ids.images) {
    yield url({ route: "download", id });
    const scalings = [
      {},
      { width: 320 },
      { width: 600, height: 400 },
      { scale: 50 },
      { height: 9 },
    ];
    for (const scaling of scalings) yield url({ route: "binary", id, scaling });
    for (const thumb of ["square", "portrait", "landscape"] as const) {
      yield url({ route: "binary", id, scaling: { thumb } });
    }
  }
}

/** Requests that clients of the API do not make, or that lead out of it. */
export function* unusualTargets(archive: Archive): Generator<string> {
  const { root } = archive.input.rules;
  const api = `/${root}`;
  const [article = ""] = namesIn(archive, `${root}/articles`).filter((name) => /\d/.test(name));
  const [image = ""] = namesIn(archive, `${root}/images/by/thumb/square`);
  const [tag = "", other = ""] = namesIn(archive, `${root}/articles/by/tags`).filter(
    (name) => !name.includes("_"),
  );
  const [year = ""] = namesIn(archive, `${root}/articles/by/year`);
  const fill = (text: string): string[] =>
    text
      .replaceAll("YEAR", year)
      .replaceAll("TAG", tag)
      .replaceAll("OTHER", other)
      .replaceAll("ARTICLE", article)
      .replaceAll("IMAGE", image)
      .trim()
      .split(/\s+/);
  const queries = [
    ...fill(unusualQueries),
    "",
    `tags=${",".repeat(900)}b`,
    `tags=${"a,".repeat(900)}b`,
  ];
  for (const query of queries) {
    for (const path of ["/articles", "/articles/", "/galleries"]) yield `${api}${path}?${query}`;
  }
  for (const query of queries.slice(0, 12)) {
    for (const path of ["/tags", "/images", `/articles/${article}`]) yield `${api}${path}?${query}`;
  }
  for (const query of ["", ...fill(imageQueries)]) {
    for (const id of [image, "none"]) yield `${api}/images/${id}.jpg?${query}`;
  }
  yield api;
  for (const path of fill(apiPaths)) yield `${api}${path}`;
  const first = api.slice(0, api.indexOf("/", 1));
  for (const path of [`${api}x`, `${api.toUpperCase()}/articles`, first, `${first}/`]) yield path;
  for (const path of fill(sitePaths)) yield path;
  const length = (prefix: string, bytes: number): string => prefix.padEnd(bytes, "x");
  for (const bytes of [7_999, 8_000, 8_001, 10_000]) {
    for (const prefix of ["/", `${api}/`, `${api}/articles?x=`]) yield length(prefix, bytes);
  }
  yield `${api}/articles?${"a=1&".repeat(1_900)}page=2`;
}

const unusualQueries = `
  page=1 page=0 page=-1 page=abc page=01 page=1.5 page=999999999 page=9999999999 page= page page=&page=2 page=2&page=1
  page=1&page=2 PAGE=2 xpage=2 page=%20 page=1%0a page=+1 page=2?page=3
  year=YEAR year=0YEAR year=00YEAR year=1066 year=20244 year=x year=-1 year= year=0 month=5&year=YEAR year=YEAR&month=05
  year=YEAR&month=13 year=YEAR&month=0 year=YEAR&month=x year=YEAR&month= month=5 month=x year=YEAR&page=2
  year=1066&page=2 year=1066&page=1 year=1066&page=x year=YEAR&year=1066
  category= category=nothing category=nothing&page=2 category=.. category=%2e%2e%2f category=a/../b category=page
  category=index category=by category=_ category=NEWS category=% category=%zz category=a&category= category=!
  tags=TAG tags=TAG, tags=,,TAG,, tags=%2CTAG%2C tags=TAG%2cOTHER tags=TAG,OTHER,nothing tags=nothing
  tags=nothing,none tags=, tags=%2C tags=TAG&tags=OTHER tags=TAG+ tags=TAG%26page=2 tags=a%,b tags=%252C
  tags=TAG&year=YEAR category=nothing&tags=TAG year=YEAR&category=nothing category=nothing&tags=
  expires=1&signature=abc&private=true unknown=1 &&& = page=1&expires=9 tags[]=x x=..%2f.. x=/../ x=// x=%5c x=\\ x=%00 x=;page=2`;

const imageQueries = `
  width=1 width=319.5 width=320.4 width=320.5 width=99999 width=0 width=-5 width=abc width=0320 width=0000320 width=320.12345
  width=.5 width=0.2 width=1e3 height=1 height=481 height=0 width=600&height=400 height=400.4&width=599.5 width=600.5&height=400
  width=600&height=401 width=300&height=200 width=300&height=300 width=299.5&height=301 width=500&height=300 width=9&height=6
  width=6000&height=4000 width=320&scale=50 height=100&scale=x scale=50&width=600&height=400 width=600&height=0 width=0&height=400 scale=50 scale=50.1 scale=12.5 scale=12.5001 scale=12.49 scale=0.0
  scale=100&width=320 scale=x&width=320 scale=500 thumb=1 thumb=p thumb=l thumb=1&orientation=p orientation=l&thumb=x
  orientation=p thumb= thumb=&width=320 thumb=0 thumb thumb=l&orientation=p width=320&width=640 WIDTH=320 width=&width=320
  expires=1&signature=2&width=640 thumb=%70 width=640&thumb=+ thumb=% orientation=!&width=320 height=9&orientation=!`;

const apiPaths = `
  / /articles// //articles /ARTICLES /Articles /articles/by /articles/by/ /articles/page /articles/page/ /articles/page/2.json
  /articles/page/2.json?page=3 /articles/page/2.json/ /articles/index.json /articles/index.json?year=1 /articles/index.json/images
  /articles/index /articles/index/ /articles/none /articles/by/none.json /articles/by/none /articles/x/images /articles/by/images
  /articles/ARTICLE /articles/ARTICLE/ /articles/ARTICLE// /articles/ARTICLE.json /articles/ARTICLE/nothing
  /images/IMAGE.jpg/ /images/IMAGE.JPG /images/IMAGE.png /images/IMAGE /images/by/thumb/square/IMAGE.jpg
  /images/by/thumb/square/IMAGE.jpg?width=1 /images/by/thumb/square /images/IMAGE/download/ /images/IMAGE/download?x=1
  /images/none/download /images/.jpg /images/..jpg /images/%2e%2e.jpg /mirror.json /404.json /404 /index.json
  /.. /../ /./articles /articles/. /articles/.. /articles/../tags /%2e%2e/%2e%2e/etc/passwd /.%2e/x /articles/%2e /articles/...
  /articles/..%2f..%2fetc /a%2fb /articles%2Findex.json /articles\\..\\x /articles/%5c.. /articles/%61 /%61rticles
  /articles/a%20b /articles/%C3%A9 /articles/a%0ab /articles%0a /articles%3Fpage=2 /articles/%25 /articles/a;b /articles;x
  /articles/*.json /articles/%7Bx%7D /articles/a[b]`;

const sitePaths = `
  / /index.html /index.html/ /index.html/x /?x=1 /articles /articles/ /articles?page=2 /articles/index.html /nothing /nothing/
  /assets /assets/ /404.html /.htaccess /.. /../etc/passwd /%2e%2e/etc/passwd /a/../../etc/passwd //etc/passwd //example.org/
  //example.org/.. /a%2fb /a\\b /%5c /articles.json /deploy/nginx /../deploy /articles/? /%61rticles/ /articles%20 /%3F`;

/** Requests for lists and images with a few parameters, in any order and spelling. */
export function anyTarget(archive: Archive): fc.Arbitrary<string> {
  const { rules } = archive.input;
  const inFolder = (folder: string): string[] => valuesIn(archive, folder).slice(0, 30);
  const ids = [
    ...inFolder("articles").slice(0, 5),
    ...inFolder("images/by/thumb/square"),
    "nothing",
  ];
  const values = ["tags", "category", "year"].flatMap((name) => inFolder(`articles/by/${name}`));
  const value = fc.constantFrom(...ids, ...values, ...oddValues, "é", "Zürich");
  const form = fc.record({
    seed: fc.integer({ min: 0 }),
    upper: fc.boolean(),
  });
  const spelled = fc.tuple(value, form).map(([text, how]) => spelling(text, how));
  const number = fc.oneof(
    fc.integer({ min: 0, max: 2_100 }).map(String),
    fc.double({ min: 0, max: 1_300, noNaN: true }).map((value) => value.toFixed(2)),
    fc.constantFrom(..."0 00 01 5 05 1 2 2024 02024 x -1 1e3 12.5 640.4 99999999".split(" "), ""),
  );
  const list = fc
    .tuple(fc.uniqueArray(value, { maxLength: 4 }), form, fc.constantFrom(",", "%2C", "%2c", ",,"))
    .map(([tags, how, comma]) => tags.map((tag) => spelling(tag, how)).join(comma));
  const fixed = rules.endpoints.flatMap(({ query }) => query);
  const fitting = fc
    .constantFrom("page", "year", "month", "category", "tags", "tags", "width", "height", "scale")
    .chain((name) =>
      (name === "tags" ? list : name === "category" ? spelled : number).map(
        (text) => `${name}=${text}`,
      ),
    );
  const names = "page year month category tags thumb orientation width expires Page x".split(" ");
  const anyParameter = fc
    .tuple(
      fc.constantFrom(...names, "", ...fixed.map(([name]) => name)),
      fc.oneof(number, spelled, list, fc.constantFrom("p", "l", "1")),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([name, text, at]) => (at === 0 ? name : `${name}=${text}`));
  const parameters = [fitting, anyParameter];
  if (fixed.length > 0) {
    const own = fc
      .tuple(fc.constantFrom(...fixed), fc.constantFrom(...ids))
      .map(([[name, text], id]) => `${name}=${encodeURIComponent(text.replace("{id}", id))}`);
    parameters.push(own, own);
  }
  const id = fc.constantFrom(...ids.filter((text) => !text.includes("/"))).map(encodeURIComponent);
  const template = fc.constantFrom(
    ...rules.endpoints.map(({ path }) => path),
    "/images/{id}/download",
  );
  const path = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("/articles", "/articles/", "/galleries") },
    { weight: 3, arbitrary: id.map((text) => `/images/${text}.jpg`) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(template, id, fc.constantFrom("", "/"))
        .map(([text, own, slash]) => text.replace("{id}", () => own) + slash),
    },
  );
  return fc
    .tuple(path, fc.array(fc.oneof(...parameters), { maxLength: 5 }))
    .map(([own, all]) => `/${rules.root}${own}${all.length === 0 ? "" : `?${all.join("&")}`}`);
}

interface Form {
  seed: number;
  /** Of the digits of escapes. */
  upper: boolean;
}

/** One of the ways to write a value. */
function spelling(value: string, { seed, upper }: Form): string {
  let text = "";
  for (const [at, byte] of [...Buffer.from(value)].entries()) {
    const char = String.fromCharCode(byte);
    const bit = ((seed >> (at % 30)) & 1) === 1;
    const hex = byte.toString(16).padStart(2, "0");
    const unreserved = /[A-Za-z0-9._~-]/.test(char);
    if (char === " " && bit) text += "+";
    else if (unreserved) text += char;
    else text += `%${upper ? hex.toUpperCase() : hex}`;
  }
  return text;
}

/** Values whose segments are the names in a folder of the mirror. */
function valuesIn(archive: Archive, folder: string): string[] {
  const { rules, names } = archive.input;
  const values = new Map(names.map(({ value, segment }) => [segment, value]));
  return namesIn(archive, `${rules.root}/${folder}`)
    .filter((name) => !/^(?:index|page|by|404|mirror)$/.test(name))
    .map((name) => values.get(name) ?? name);
}
