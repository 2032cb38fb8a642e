/** A mistake that somebody could make, and what must notice it. */
export interface Mistake {
  /** What was done wrong, in a few words. */
  name: string;
  /** Path in the project. */
  file: string;
  /** Text that stands in the file just once. */
  find: string;
  replace: string;
  /** Test files, or scenarios of this folder as `faults:name`. */
  caughtBy: readonly string[];
}

export const mistakes: readonly Mistake[] = [
  {
    name: "no fsync before a rename",
    file: "src/lib/files.ts",
    find: "      disk.sync(handle);\n    });\n    disk.rename(temporary, path);",
    replace: "    });\n    disk.rename(temporary, path);",
    caughtBy: ["faults:disk"],
  },
  {
    name: "no fsync of the folder after a rename",
    file: "src/lib/files.ts",
    find: "    throw error;\n  }\n  syncFolder(dirname(path), disk);",
    replace: "    throw error;\n  }",
    caughtBy: ["faults:disk"],
  },
  {
    name: "written in place, not beside",
    file: "src/lib/files.ts",
    find: "const temporary = `${path}.${process.pid}.tmp`;",
    replace: "const temporary = path;",
    caughtBy: ["faults:disk"],
  },
  {
    name: "a snapshot committed before its parts are durable",
    file: "src/store/snapshots.ts",
    find: "      parts.sync();\n",
    replace: "",
    caughtBy: ["faults:disk"],
  },
  {
    name: "the token on signed links",
    file: "src/api/client.ts",
    find: "this.#needsToken(target) ?",
    replace: "target ?",
    caughtBy: ["test/api/client.test.ts"],
  },
  {
    name: "redirects followed to any host",
    file: "src/api/exchange.ts",
    find: "if (downgraded || !ask.mayGo(location)) {",
    replace: "if (downgraded) {",
    caughtBy: ["test/api/client.test.ts"],
  },
  {
    name: "redirects followed from https to http",
    file: "src/api/exchange.ts",
    find: 'const downgraded = asked.protocol === "https:" && location.protocol !== "https:";',
    replace: "const downgraded = false;",
    caughtBy: ["test/api/tls.test.ts"],
  },
  {
    name: "addresses inside of the network allowed",
    file: "src/api/connect.ts",
    find: "if (kind === undefined || named.has(hostOf(address))) continue;",
    replace: "if (kind !== undefined || named.has(hostOf(address))) continue;",
    caughtBy: ["test/api/connect.test.ts"],
  },
  {
    name: "a capped Retry-After",
    file: "src/api/governor.ts",
    find: "this.#pause(Math.max(retryAfterMs ?? 0, resetMs)",
    replace: "this.#pause(Math.min(Math.max(retryAfterMs ?? 0, resetMs), maxRefusalMs)",
    caughtBy: ["test/api/governor.test.ts"],
  },
  {
    name: "one request above the rate",
    file: "src/api/governor.ts",
    find: "{ requests: rate.requests, perMs:",
    replace: "{ requests: rate.requests + 1, perMs:",
    caughtBy: ["test/api/governor.test.ts"],
  },
  {
    name: "links of any age",
    file: "src/api/links.ts",
    find: "return link !== undefined && now() < link.until ? link.url : undefined;",
    replace: "return link?.url;",
    caughtBy: ["test/api/links.test.ts"],
  },
  {
    name: "JSON of any depth",
    file: "src/api/json-sink.ts",
    find: "return levels === 0 ||",
    replace: "return",
    caughtBy: ["test/api/client.test.ts"],
  },
  {
    name: "one reading of an index is enough",
    file: "src/crawl/completeness.ts",
    find: "return before && follows(distinctIds(before))",
    replace: "return last !== undefined",
    caughtBy: ["test/crawl/completeness.test.ts"],
  },
  {
    name: "forward paging without the head again",
    file: "src/crawl/index-walk.ts",
    find: 'const { head, grew } = await readHead(pages, (number) => this.#read("head", number));',
    replace: "const { head, grew } = { head: [] as Page[], grew: false };",
    caughtBy: ["test/crawl/crawl.test.ts"],
  },
  {
    name: "items counted without looking whether they repeat",
    file: "src/crawl/pass.ts",
    find: "const size = distinctIds(pass).size + pass.doubles;",
    replace: "const size = pass.ids.length;",
    caughtBy: ["test/crawl/completeness.test.ts"],
  },
  {
    name: "answers to other requests believed",
    file: "src/crawl/ask.ts",
    find: "page === undefined ? [] : odditiesIn(context, url, page, value);",
    replace: "page === undefined || value !== null ? [] : odditiesIn(context, url, page, value);",
    caughtBy: ["test/crawl/doubts.test.ts"],
  },
  {
    name: "one refusal of an index is enough",
    file: "src/crawl/failures.ts",
    find: "if (!(error instanceof ApiError) || !isRefusal(error)) throw error;",
    replace: "if (error !== undefined) throw error;",
    caughtBy: ["test/crawl/doubts.test.ts"],
  },
  {
    name: "a 403 taken for a deletion",
    file: "src/crawl/failures.ts",
    find: "return status === 404 || status === 410;",
    replace: "return status === 404 || status === 410 || status === 403;",
    caughtBy: ["test/crawl/removals.test.ts"],
  },
  {
    name: "a removal believed without asking",
    file: "src/crawl/removals.ts",
    find: 'const reason = "no longer listed, but the origin still answers for it";',
    replace:
      'if (subject !== "") return { fate: "gone" };\n  const reason = "no longer listed, but the origin still answers for it";',
    caughtBy: ["test/crawl/crawl.test.ts"],
  },
  {
    name: "no brake on removals",
    file: "src/crawl/brake.ts",
    find: "if (gone.length > most)",
    replace: "if (gone.length > most + 1e9)",
    caughtBy: ["test/crawl/crawl.test.ts"],
  },
  {
    name: "removals judged by an incomplete snapshot alone",
    file: "src/crawl/removals.ts",
    find: "const others = complete?.id === last?.manifest.id ? undefined : complete;",
    replace: "const others = complete && undefined;",
    caughtBy: ["test/crawl/removals.test.ts"],
  },
  {
    name: "a removal believed of a list that was not proved",
    file: "src/crawl/removals.ts",
    find: "item.fate = fates.get(item.id);",
    replace: 'item.fate = provedAbsent ? fates.get(item.id) : "gone";',
    caughtBy: ["test/crawl/removals.test.ts"],
  },
  {
    name: "signed parameters kept in what is stored",
    file: "src/crawl/ingest.ts",
    find: "return rewriteJson(text, clean, {",
    replace: "return rewriteJson(text, (part) => part, {",
    caughtBy: ["test/crawl/crawl.test.ts"],
  },
  {
    name: "a changed record with its old file taken for current",
    file: "src/media/jobs.ts",
    find: 'if (entry === undefined || entry.record !== item.record) return "download";',
    replace: 'if (entry === undefined) return "download";',
    caughtBy: ["test/media/jobs.test.ts"],
  },
  {
    name: "damaged lines of a log read as good ones",
    file: "src/store/log-lines.ts",
    find: "line.length > lineStart.length &&",
    replace: "line.length > 0 ||",
    caughtBy: ["test/store/log.test.ts"],
  },
  {
    name: "damage of durable lines taken for that of a power cut",
    file: "src/store/log-lines.ts",
    find: "damage.push(...suspects);",
    replace: "",
    caughtBy: ["test/store/log.test.ts"],
  },
  {
    name: "no look for leaks before publishing",
    file: "src/publish/leaks.ts",
    find: "if (leak === undefined) return;",
    replace: "if (leak !== null) return;",
    caughtBy: ["test/publish/leaks.test.ts"],
  },
  {
    name: "bodies that are not sanitised",
    file: "src/site/body.ts",
    find: "const safe = sanitize(root, bodySchema) as Root;",
    replace: "const safe = root;",
    caughtBy: ["test/site/body.test.ts"],
  },
  {
    name: "ids as they are in paths",
    file: "src/routes/segments.ts",
    find: 'if (value === "") return "_";',
    replace: 'if (value !== "") return value;',
    caughtBy: ["test/routes/segments.test.ts"],
  },
  {
    name: "an image shown although its record says that it is private",
    file: "src/catalogue/visibility.ts",
    find: "if (!isPrivate(id) && saysPrivate(raw)) {",
    replace: 'if (!isPrivate(id) && raw === "") {',
    caughtBy: ["test/catalogue/catalogue.test.ts"],
  },
  {
    name: "an image shown although it left the public index",
    file: "src/catalogue/visibility.ts",
    find: "for (const { id } of snapshot.refs(list)) if (!reasons.has(id)) reasons.set(id, reason);",
    replace:
      'if (list === "images.private") for (const { id } of snapshot.refs(list)) reasons.set(id, reason);',
    caughtBy: ["test/catalogue/catalogue.test.ts"],
  },
];
