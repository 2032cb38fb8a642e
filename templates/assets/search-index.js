// Finds items by their words. The index is cut into scripts, because pages from file:// cannot fetch, and a search loads
// only those that its words need. `src/site/search/term-index.ts` writes the postings.
(() => {
  const { words } = globalThis.stillpressSearch;
  const stem = globalThis.stillpressStemmer ?? ((word) => word);

  /** How much a term counts beside the word itself. A word that only begins like the one that was asked for comes last. */
  const quality = { exact: 1, stem: 0.75, prefix: 0.4, near: 0.3 };
  /** Of weights: as the build has it. */
  const weightStep = 1.2;
  const leastWeight = 0.1;
  /** Of so few words all are meant. */
  const fewWords = 2;
  /** An item without some of more words comes among those with all of them, if it scores this share of the best one. */
  const goodShare = 0.4;
  /** Files of terms that one word may need: short beginnings have thousands of terms. */
  const maxFiles = 6;
  const maxNear = 8;
  /** Words of a query that are looked for. */
  const mostWords = 32;
  /** Terms that are compared before the page may do something else. */
  const termsAtOnce = 2000;
  /** Articles first, then galleries, then pictures. */
  const kindsByRank = ["article", "gallery", "file", "image"];

  /** What scripts brought, by their paths. */
  const parts = new Map();
  const loads = new Map();
  /** Paths of scripts that did not come. */
  const lost = new Set();

  globalThis.stillpressPart = (path, data) => parts.set(path, data);

  /** The data of a script, which runs once; undefined if it does not come. */
  function load(path) {
    if (parts.has(path)) return Promise.resolve(parts.get(path));
    const known = loads.get(path);
    if (known !== undefined) return known;
    const loading = new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = path;
      script.onload = () => resolve(parts.get(path));
      script.onerror = () => {
        loads.delete(path);
        lost.add(path);
        resolve(undefined);
      };
      document.head.append(script);
    });
    loads.set(path, loading);
    return loading;
  }

  /** The segments, each with the places of its items among those of all. */
  function openSegments(paths) {
    let first = 0;
    return paths.flatMap((path) => {
      const outline = parts.get(path);
      if (outline === undefined) {
        lost.add(path);
        return [];
      }
      const ranges = [];
      const begin = first;
      for (const [kind, inFile, years] of outline.kinds) {
        const beginOfKind = first;
        for (const [year, items] of years) {
          ranges.push({ kind, inFile, beginOfKind, year, from: first, to: first + items });
          first += items;
        }
      }
      return [{ ...outline, folder: path.slice(0, -"index.js".length), ranges, begin, end: first }];
    });
  }

  /** Numbers of the files in which terms from `low` to `high` stand. */
  function filesBetween({ from }, low, high) {
    const after = from.findIndex((term) => term > low);
    const first = Math.max(0, (after === -1 ? from.length : after) - 1);
    const next = from.findIndex((term) => term > high);
    const end = next === -1 ? from.length : next;
    return from.slice(first, end).map((_, at) => first + at);
  }

  /** The lines of some terms of a segment: those that begin with `root`, from files that reach up to `last`. */
  async function linesOf(segment, root, last) {
    const files = filesBetween(segment, root, last).slice(0, maxFiles);
    const texts = await Promise.all(files.map((n) => load(`${segment.folder}terms-${n}.js`)));
    const found = [];
    for (const text of texts) {
      if (text === undefined) continue;
      let at = `\n${text}`.indexOf(`\n${root}`);
      while (at !== -1 && text.startsWith(root, at)) {
        const [space, end] = [text.indexOf(" ", at), text.indexOf("\n", at)];
        found.push({ term: text.slice(at, space), postings: text.slice(space + 1, end) });
        at = end + 1;
      }
    }
    return found;
  }

  function eachPosting(postings, take) {
    let item = -1;
    let distance = 0;
    for (let at = 0; at < postings.length; at++) {
      const code = postings.charCodeAt(at);
      if (code >= 65 && code <= 90) {
        item += distance + 1;
        take(item, leastWeight * weightStep ** (code - 65));
        distance = 0;
      } else distance = distance * 36 + (code >= 97 ? code - 87 : code - 48);
    }
  }

  /** What all words of one stem begin with. */
  function rootOf(word) {
    const stemmed = stem(word);
    let shared = 0;
    while (shared < word.length && word[shared] === stemmed[shared]) shared++;
    return shared < 3 ? word : word.slice(0, shared);
  }

  /** Lets the page do something else. */
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  /** Items of all segments. */
  const sizeOf = (segments) => segments.at(-1)?.end ?? 0;

  /** Where a word stands: its weight by item, and the terms that stand for it. */
  async function matchesOf(segments, word, roots, qualityOf, lastOf = (root) => root) {
    const weights = new Float32Array(sizeOf(segments));
    const found = new Set();
    let [items, surest] = [0, 0];
    for (const segment of segments) {
      const lines = await termLines(segment, roots, lastOf);
      await pause();
      for (const { term, postings } of lines) {
        const factor = qualityOf(term);
        if (factor === 0) continue;
        found.add(term);
        eachPosting(postings, (item, weight) => {
          const id = segment.begin + item;
          if (weights[id] === 0) {
            items++;
            if (factor >= quality.stem) surest++;
          }
          weights[id] = Math.max(weights[id], factor * weight);
        });
      }
    }
    // A beginning alone is a word that is still being typed: it tells as much as all that it may become.
    return { word, weights, terms: found, items: surest || items };
  }

  async function termLines(segment, roots, lastOf) {
    const lines = await Promise.all(roots.map((root) => linesOf(segment, root, lastOf(root))));
    return lines.flat();
  }

  function plainMatches(segments, word) {
    const stemmed = stem(word);
    const qualityOf = (term) => {
      if (term === word) return quality.exact;
      if (stem(term) === stemmed) return quality.stem;
      return term.startsWith(word) ? (quality.prefix * (1 + word.length / term.length)) / 2 : 0;
    };
    return matchesOf(segments, word, [rootOf(word)], qualityOf, (root) => `${root}\uffff`);
  }

  async function nearMatches(segments, word) {
    const near = await nearWords(segments, word, word.length > 7 ? 2 : word.length > 3 ? 1 : 0);
    const distances = new Map(near.slice(0, maxNear).map(({ term, distance }) => [term, distance]));
    return matchesOf(segments, word, [...distances.keys()], (term) =>
      distances.has(term) ? quality.near / distances.get(term) : 0,
    );
  }

  /** Terms within some mistakes of a word, the nearest and most frequent first. */
  async function nearWords(segments, word, most) {
    const found = new Map();
    if (most === 0) return [];
    for (const { folder } of segments) {
      const text = (await load(`${folder}words.js`)) ?? "";
      for (const [read, line] of text.split("\n").entries()) {
        if (read % termsAtOnce === termsAtOnce - 1) await pause();
        const term = line.slice(0, -2);
        if (Math.abs(term.length - word.length) > most) continue;
        const distance = mistakes(word, term, most);
        if (distance === 0 || distance > most) continue;
        const size = line.charCodeAt(line.length - 1) - 65;
        const items = 2 ** size + (found.get(term)?.items ?? 0);
        found.set(term, { term, distance, items });
      }
    }
    return [...found.values()].sort((a, b) => a.distance - b.distance || b.items - a.items);
  }

  /** Letters that are wrong, missing, too many or swapped; more than `most` if there are too many. */
  function mistakes(a, b, most) {
    let [older, row] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      let least = i;
      for (let j = 1; j <= b.length; j++) {
        const same = a[i - 1] === b[j - 1];
        let cost = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
        const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        if (isSwap) cost = Math.min(cost, older[j - 2] + 1);
        next.push(cost);
        least = Math.min(least, cost);
      }
      if (least > most) return most + 1;
      [older, row] = [row, next];
    }
    return row[b.length];
  }

  /** The words of a query, and those between quotation marks. */
  function parse(query) {
    const quoted = Array.from(query.matchAll(/["“”„«»]([^"“”„«»]+)["“”„«»]/g), ([, text]) => text);
    const phrases = quoted.map(words).filter((phrase) => phrase.length > 1);
    return { asked: [...new Set(words(query))].slice(0, mostWords), phrases };
  }

  /**
   * Items in the order of their rank: with all words before those with some, articles before pictures, then by how much
   * their words tell, the newer one of equals first. `isWanted` gets an item's number among all.
   */
  async function find(segments, query, isWanted) {
    const { asked, phrases } = parse(query);
    const matches = await Promise.all(asked.map((word) => matchesWithMistakes(segments, word)));
    const all = sizeOf(segments);
    const { scores, told, most } = scoresOf(matches, all);
    await pause();
    const isWhole = (id) => told[id] > 0.999 * most;
    const isPhrase = phrases.length > 0;
    const isMeant = (id) => scores[id] > 0 && isWanted(id) && (!isPhrase || isWhole(id));
    const ids = Array.from(scores.keys()).filter(isMeant);
    const good = goodShare * ids.reduce((best, id) => Math.max(best, scores[id]), 0);
    const isFirst = (id) => isWhole(id) || (asked.length > fewWords && scores[id] >= good);
    await pause();
    const ranks = ranksOf(segments, all);
    // In one number each: a phone is slow to compare ten thousand items in several ways. No score is above 2 ** 16.
    const order = new Float64Array(all);
    for (const id of ids) order[id] = (4 * isFirst(id) - ranks[id]) * 2 ** 16 + scores[id];
    // The first segment is the latest, and has its latest items last.
    const segmentOf = (id) => segments.findIndex(({ end }) => id < end);
    const newer = (a, b) => segmentOf(a) - segmentOf(b) || b - a;
    ids.sort((a, b) => order[b] - order[a] || newer(a, b));
    await pause();
    const terms = new Set(matches.flatMap((match) => [...match.terms]));
    return { ids, isWhole, terms, matches, phrases };
  }

  /** By item: its score, and how much the words that it has tell; and how much all of them do. */
  function scoresOf(matches, all) {
    const [scores, told] = [new Float32Array(all), new Float32Array(all)];
    let most = 0;
    for (const { items, weights } of matches) {
      const rarity = Math.log(1 + all / (items + 0.5));
      most += rarity;
      for (let id = 0; id < all; id++) {
        if (weights[id] === 0) continue;
        scores[id] += weights[id] * rarity;
        told[id] += rarity;
      }
    }
    for (let id = 0; id < all; id++) scores[id] *= told[id] / most;
    return { scores, told, most };
  }

  async function matchesWithMistakes(segments, word) {
    const plain = await plainMatches(segments, word);
    return plain.items > 0 ? plain : nearMatches(segments, word);
  }

  /** The rank of each item's kind. */
  function ranksOf(segments, all) {
    const ranks = new Uint8Array(all);
    for (const { ranges } of segments)
      for (const { kind, from, to } of ranges) ranks.fill(kindsByRank.indexOf(kind), from, to);
    return ranks;
  }

  /** What a hit shows, with the text of an article; undefined if its file does not come. */
  async function hitOf(segments, id) {
    const { folder, ranges } = segments.find(({ end }) => id < end);
    const { kind, inFile, beginOfKind } = ranges.find(({ from, to }) => id >= from && id < to);
    const number = id - beginOfKind;
    const [file, place] = [Math.floor(number / inFile), number % inFile];
    const hit = (await load(`${folder}${kind}-${file}.js`))?.[place];
    if (hit === undefined) return undefined;
    const [path, title, day, date, category, snippet, text, ...picture] = hit;
    return { id, kind, path, title, day, date, category, snippet, text, picture };
  }

  const shared = { load, openSegments, find, nearWords, pause, hitOf, lost };
  Object.assign(globalThis.stillpressSearch, shared);
})();
