import { envelopeForPage } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { type OutputFile, textFile } from "../lib/output.ts";
import { openApiFile, schemaPath } from "../routes/description.ts";
import type { SingleForm } from "../routes/learned.ts";
import type { Endpoint, EndpointTarget } from "../routes/rules.ts";
import type { ListName } from "../store/list-names.ts";
import type { Ref } from "../store/snapshots.ts";
import { type Answers, wrapped } from "./answers.ts";
import { type JsonSchema, Shape } from "./shapes.ts";

/** Objects that a schema is made from, at most. */
const mostObjects = 200;
/** Pages of a list whose envelopes are described, at most. */
const mostPages = 20;

/** The objects of a kind in one form: the lists that have them, and the members that the API document shows. */
interface Form {
  name: string;
  lists: readonly ListName[];
  documented: readonly string[];
}

const published = ["id", "organisation_id", "title", "slug", "published_at", "created_at"];
const gallery = [...published, "links", "attachments"];
const article = [...gallery, "synopsis", "category", "tags", "rating"];
const image = ["id", "organisation_id", "title", "caption", "dimensions", "filesize", "meta"];
const media = [...image, "links", "created_at"];
const counts = ["articles_count", "galleries_count", "products_count"];

const forms: readonly Form[] = [
  { name: "article", lists: ["articles.single"], documented: article },
  { name: "article-in-index", lists: ["articles"], documented: article },
  { name: "gallery", lists: ["galleries.single"], documented: gallery },
  { name: "gallery-in-index", lists: ["galleries"], documented: gallery },
  { name: "image", lists: ["images", "images.unlisted"], documented: media },
  { name: "video", lists: ["videos", "videos.unlisted"], documented: media },
  { name: "document", lists: ["documents", "documents.unlisted"], documented: media },
  { name: "audio", lists: ["audio", "audio.unlisted"], documented: media },
  {
    name: "category",
    lists: ["categories"],
    documented: ["id", "title", "slug", "order", "articles_count"],
  },
  { name: "tag", lists: ["tags"], documented: ["title", "slug", "created_at", ...counts] },
];

/**
 * What the mirror answers, for programs that make clients: OpenAPI 3.1, and beside it a JSON Schema of each kind of
 * object, inferred from what the origin said of published ones. What the API document does not show is marked.
 */
export function* openApiFiles(
  catalogue: Catalogue,
  answers: Answers,
  { site }: Pick<Config, "site">,
): Generator<OutputFile> {
  const { snapshot, routes } = catalogue;
  const known = forms.filter(({ lists }) => lists.some((list) => snapshot.list(list)?.count));
  for (const form of known) {
    const refs = sampleOf(form.lists.map((list) => snapshot.refs(list)));
    const path = schemaPath(routes.root, form.name);
    const keys = (): string[] => refs.map(({ digest }) => answers.keyOfObject(digest));
    const texts = (): string[] => refs.map((ref) => answers.textOfObject(ref, path));
    yield {
      path,
      key: () => keyOf(answers.settings, "schema", JSON.stringify(form), keys()),
      content: () => textOf(schemaOf(form, texts())),
    };
  }
  const names = new Set(known.map(({ name }) => name));
  const text = textOf(describe(catalogue, site.title, names));
  yield textFile(`${routes.root}/${openApiFile}`, text);
}

const textOf = (value: object): string => `${JSON.stringify(value, null, 1)}\n`;

/** Those with the least digests, so that a new object changes the choice by one at most. */
function sampleOf(lists: readonly Iterable<Ref>[]): Ref[] {
  const byDigest = (a: Ref, b: Ref): number => (a.digest < b.digest ? -1 : 1);
  let sample: Ref[] = [];
  for (const list of lists) {
    for (const ref of list) {
      sample.push(ref);
      if (sample.length >= 16 * mostObjects) sample = sample.sort(byDigest).slice(0, mostObjects);
    }
  }
  return sample.sort(byDigest).slice(0, mostObjects);
}

function schemaOf({ name, documented }: Form, texts: readonly string[]): JsonSchema {
  const shape = new Shape();
  for (const text of texts) shape.add(JSON.parse(text));
  const { properties = {}, ...rest } = shape.schema() as { properties?: JsonSchema };
  const members = Object.entries(properties).map(([member, schema]) => {
    const note = documented.includes(member) ? {} : { description: "not in the API document" };
    return [member, { ...note, ...(schema as JsonSchema) }] as const;
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: name,
    "x-objects": texts.length,
    "x-documented-but-not-seen": documented.filter((member) => !Object.hasOwn(properties, member)),
    ...rest,
    properties: Object.fromEntries(members),
  };
}

/** The whole description. @param known names of the schemas that there are */
function describe(catalogue: Catalogue, title: string, known: ReadonlySet<string>): object {
  const { rules } = catalogue.routes;
  const paths = new Map<string, object>();
  for (const endpoint of rules.endpoints) {
    // Endpoints that differ in a parameter only are one path.
    if (paths.has(endpoint.path)) continue;
    const schema = answerSchema(catalogue, endpoint.target, known);
    const ok = jsonAnswer("the answer of the origin, its links leading into the archive", schema);
    paths.set(endpoint.path, {
      get: { operationId: operationId(endpoint.target), ...request(endpoint), responses: ok },
    });
  }
  paths.set("/images/{id}.jpg", { get: binaryImage });
  const components = [...known].map((name) => [name, { $ref: schemaPath(".", name) }] as const);
  return {
    openapi: "3.1.0",
    info: { title, version: "1", description: about },
    servers: [{ url: "." }],
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(components) },
  };
}

const about =
  "A mirror of an API as files. A host without rules for it answers the paths of files only; mirror.json says where each answer lies.";

function operationId(target: EndpointTarget): string {
  if (target.route === "attachments") return `list-${target.parent}-${target.kind}`;
  return `${target.route === "single" ? "get" : "list"}-${target.index}`;
}

const parameter = (place: "path" | "query", name: string, schema: JsonSchema): object => ({
  name,
  in: place,
  required: place === "path",
  schema,
});
const wholeNumber = { type: "integer", minimum: 1 };

function request({ target, path, query, filters }: Endpoint): { parameters: object[] } {
  const isPaged = target.route === "index" || target.route === "attachments";
  const filterTypes = { year: wholeNumber, month: wholeNumber };
  return {
    parameters: [
      ...(path.includes("{id}") ? [parameter("path", "id", { type: "string" })] : []),
      ...query.map(([name, value]) =>
        parameter("query", name, value.includes("{id}") ? { type: "string" } : { const: value }),
      ),
      ...filters.map((name) =>
        parameter("query", name, Object(filterTypes)[name] ?? { type: "string" }),
      ),
      ...(isPaged ? [parameter("query", "page", wholeNumber)] : []),
    ],
  };
}

const notFound = {
  description: "not in the archive",
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { message: { type: "string" } },
        required: ["message"],
      },
    },
  },
};

function jsonAnswer(description: string, schema: JsonSchema): object {
  return { 200: { description, content: { "application/json": { schema } } }, 404: notFound };
}

const binaryImage = {
  operationId: "get-image-file",
  parameters: [
    parameter("path", "id", { type: "string" }),
    ...["width", "height", "scale"].map((name) => parameter("query", name, wholeNumber)),
    parameter("query", "orientation", { enum: ["p", "l"] }),
    parameter("query", "thumb", { const: "1" }),
  ],
  responses: {
    200: { description: "the image in the size that was asked for", content: { "image/jpeg": {} } },
    404: notFound,
  },
};

const inIndex: Readonly<Record<string, string>> = {
  articles: "article-in-index",
  galleries: "gallery-in-index",
  images: "image",
  videos: "video",
  documents: "document",
  audio: "audio",
  categories: "category",
  tags: "tag",
};
const single = { articles: "article", galleries: "gallery", images: "image" } as const;

const emptyPage = { page: 1, count: 0 };

/** What an endpoint answers: what the origin writes around objects, and the objects. */
function answerSchema(
  { snapshot }: Catalogue,
  target: EndpointTarget,
  known: ReadonlySet<string>,
): JsonSchema {
  const schemaFor = (name = ""): JsonSchema =>
    known.has(name) ? { $ref: `#/components/schemas/${name}` } : { type: "object" };
  if (target.route === "single") {
    const learned = snapshot.manifest.learned?.singleImages?.form ?? wrapped;
    const { around }: SingleForm = target.index === "images" ? learned : wrapped;
    const object = schemaFor(single[target.index]);
    return around === null ? object : within([around.envelope], around.member, object);
  }
  const kind = target.route === "attachments" ? target.kind : target.index;
  const items = { type: "array", items: schemaFor(inIndex[kind]) };
  const list = target.route === "attachments" ? undefined : snapshot.list(kind);
  const model = list?.envelope ?? '{"data":[]}';
  const { perPage = 0, count = 0, overrides = {} } = list ?? {};
  const last = perPage > 0 ? Math.ceil(count / perPage) : 0;
  const made = last === 0 ? [] : [emptyPage, ...[1, 2, last].map((page) => ({ page, count: 1 }))];
  const others = made.map(({ page, count: rows }) =>
    envelopeForPage(model, { page, perPage, total: rows && count, count: rows }),
  );
  const written = Object.values(overrides).slice(0, mostPages);
  return within([model, ...written, ...others], "data", items);
}

/** The schema of envelopes, with that of what stands in a member of theirs. */
function within(envelopes: readonly string[], member: string, schema: JsonSchema): JsonSchema {
  const shape = new Shape();
  for (const text of envelopes) shape.add(orUndefined(() => JSON.parse(text)) ?? {});
  const { properties = {}, ...rest } = shape.schema();
  return { ...rest, properties: { ...(properties as JsonSchema), [member]: schema } };
}
