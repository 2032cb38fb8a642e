// The search page. The index is cut into shards, which are scripts, because pages from file:// cannot fetch.
(() => {
  const { options, pieces, words } = globalThis.stillpressSearch;
  const form = document.querySelector("form[role=search]");
  const { q: field, kind, year, category } = form.elements;
  const list = document.querySelector("#results");
  const status = document.querySelector("[role=status]");
  const more = document.querySelector(".search-more");
  const ways = document.querySelector("#ways");

  /** Hits that are shown before a reader asks for more. */
  const pageSize = 50;
  /** Shards that are loaded for a few hits: a phone would need long for a large archive. */
  const shardsAtOnce = 20;
  /** Shards that load side by side when the latest one has too few hits. */
  const shardsAhead = 4;
  const debounceMs = 100;
  /** Characters of an article's text that a hit shows around a word. */
  const charactersBefore = 60;
  const charactersAfter = 120;

  const dates = new Intl.DateTimeFormat(list.dataset.language, {
    dateStyle: "long",
    timeZone: "UTC",
  });
  const numbers = new Intl.NumberFormat(list.dataset.language);
  const plurals = new Intl.PluralRules(list.dataset.spoken);
  const sentences = JSON.parse(list.dataset.words);

  /** say("search.found", { n: 2 }) → "2 results." */
  function say(key, values = {}) {
    const found = sentences[key];
    const text =
      typeof found === "string" ? found : (found[plurals.select(values.n)] ?? found.other);
    return text.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? numbers.format(value) : value;
    });
  }

  /** All shards, latest first. */
  let shards = [];
  /** Promises of scripts by their paths. */
  const loads = new Map();
  /** By the names of their shards. */
  const indexes = new Map();
  /** Of articles, by their paths. Only if the search looks through them. */
  const bodies = new Map();
  /** The search that is shown. A later one takes its place, also while it waits. */
  let current;
  /** Starts the search for what was typed, once nothing more is. */
  let waiting;

  globalThis.stillpressShard = (name, index) => {
    indexes.set(name, globalThis.MiniSearch.loadJS(index, options));
  };

  globalThis.stillpressTexts = (byPath) => {
    for (const [path, text] of Object.entries(byPath)) bodies.set(path, text);
  };

  globalThis.stillpressShards = (all) => {
    shards = all;
    fillForm();
    if (field.value === "" && document.activeElement === document.body) field.focus();
    start();
  };

  /** Runs a script once, unless it cannot be loaded. */
  function run(path) {
    const known = loads.get(path);
    if (known !== undefined) return known;
    const loading = new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = path;
      script.onload = resolve;
      script.onerror = () => {
        loads.delete(path);
        resolve();
      };
      document.head.append(script);
    });
    loads.set(path, loading);
    return loading;
  }

  const chosenShards = () => shards.filter((shard) => !year?.value || shard.year === year.value);

  function start() {
    clearTimeout(waiting);
    const query = field.value.trim();
    current = { query, chosen: chosenShards(), next: 0, hits: [], shown: 0, items: 0, lost: 0 };
    ask(current);
    list.replaceChildren();
    more.hidden = true;
    status.textContent = "";
    ways.hidden = query !== "";
    rememberForm();
    if (words(query).length > 0) proceed(current);
  }

  /** Sets how far a search goes from where it is. */
  function ask(search) {
    search.limit = search.shown + pageSize;
    search.pause = search.next + shardsAtOnce;
  }

  function isEnough({ hits, limit, next, pause, chosen }) {
    return hits.length >= limit || next === chosen.length || (hits.length > 0 && next >= pause);
  }

  /** Searches shard by shard until there are enough hits. */
  async function proceed(search) {
    show(search);
    while (!isEnough(search)) {
      const shard = search.chosen[search.next];
      loadAhead(search);
      const soFar = search.hits.length > 0 ? `${foundText(search)} ` : "";
      const { year } = shard;
      status.textContent =
        soFar + (year === "" ? say("search.busy") : say("search.busyIn", { year }));
      await run(shard.path);
      const index = indexes.get(shard.name);
      const hits = index?.search(search.query, { filter: isWanted }) ?? [];
      if (hits.some((hit) => termsOfBody(hit).length > 0)) await run(shard.texts);
      if (search !== current) return;
      search.next++;
      if (index === undefined) search.lost++;
      search.hits.push(...hits);
      search.items += shard.items;
      show(search);
    }
    status.textContent = `${foundText(search)} ${reachText(search)}`.trim();
    ways.hidden = search.hits.length > 0;
    const isRest = search.shown < search.hits.length;
    more.hidden = !isRest && search.next === search.chosen.length;
    more.firstElementChild.textContent = say(isRest ? "search.more" : "search.older");
  }

  /** Most searches end with the latest shard, so that nothing loads beside it. */
  function loadAhead({ chosen, next }) {
    const count = next === 0 ? 1 : shardsAhead;
    for (const { path } of chosen.slice(next, next + count)) run(path);
  }

  function isWanted(hit) {
    if (kind.value !== "" && hit.kind !== kind.value) return false;
    return !category?.value || hit.category === category.value;
  }

  function foundText({ hits: { length } }) {
    return length === 0 ? say("search.none") : say("search.found", { n: length });
  }

  /** How far a search has come, and whether a part of the index is missing. */
  function reachText({ chosen, next, items, lost }) {
    const missing = lost > 0 ? say("search.lost") : "";
    if (next === chosen.length) return missing;
    const all = chosen.reduce((sum, shard) => sum + shard.items, 0);
    const { from } = chosen[next - 1];
    const reach =
      from === ""
        ? say("search.reach", { n: items, all })
        : say("search.reachTo", { n: items, all, date: dateText(from) });
    return `${reach} ${missing}`;
  }

  const dateText = (day) => dates.format(new Date(`${day}T00:00:00Z`));

  function show(search) {
    const upTo = Math.min(search.limit, search.hits.length);
    list.append(...search.hits.slice(search.shown, upTo).map(hitElement));
    search.shown = upTo;
  }

  function hitElement(hit) {
    const link = element("a", { href: hit.id }, marked(hit.title, hit));
    const facts = [element("span", {}, [say(hit.kind)])];
    if (hit.date !== "") {
      facts.unshift(element("time", { dateTime: hit.date }, [dateText(hit.date)]));
    }
    if (hit.category) {
      const topic = element("bdi", {}, marked(hit.category, hit));
      facts.push(element("span", { className: "topic" }, [topic]));
    }
    const parts = [
      element("p", { className: "meta" }, facts),
      element("h2", { dir: "auto" }, [link]),
    ];
    for (const text of reasons(hit)) {
      parts.push(element("p", { className: "synopsis", dir: "auto" }, text));
    }
    return element("li", { className: "card bare" }, [element("div", {}, parts)]);
  }

  function element(name, properties, children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /** The words of a hit that only the text of the article has, if what is shown of it does not tell enough. */
  function termsOfBody({ match, queryTerms }) {
    const terms = Object.keys(match);
    const others = terms.filter((term) => match[term].some((part) => part !== "body"));
    const isTold = queryTerms.every((asked) => others.some((term) => term.startsWith(asked)));
    return isTold ? [] : terms.filter((term) => !others.includes(term));
  }

  /** The texts of a hit that tell why it is one, or else its summary. */
  function reasons(hit) {
    const texts = [hit.snippet, surroundings(hit)].filter((text) => text !== "");
    const all = texts.map((text) => marked(text, hit));
    const telling = all.filter((nodes) => nodes.length > 1);
    return telling.length > 0 ? telling : all.slice(0, 1);
  }

  /** What stands around a word that only the text of an article has. */
  function surroundings(hit) {
    const terms = termsOfBody(hit);
    const text = bodies.get(hit.id);
    if (terms.length === 0 || text === undefined) return "";
    const all = pieces(text);
    const found = all.find(
      (piece) => terms.includes(piece.word) && endOfMatch(piece, hit) > piece.start,
    );
    if (found === undefined) return "";
    const first = all.find(({ start }) => start >= found.start - charactersBefore);
    const last = all.findLast(({ end }) => end <= found.end + charactersAfter);
    const head = first === all[0] ? text.slice(0, first.start) : "… ";
    const tail = last === all.at(-1) ? text.slice(last.end) : " …";
    return head + text.slice(first.start, last.end) + tail;
  }

  /** Where the match with a word ends; at its start if there is none. */
  function endOfMatch({ start, end, word, pair }, { terms, queryTerms }) {
    if (!pair) return terms.includes(word) ? end : start;
    // Of two characters that stand for a word, both have to be asked for, or the first alone.
    if (queryTerms.includes(word)) return end;
    const [first] = queryTerms;
    return queryTerms.length === 1 && word.startsWith(first) ? start + first.length : start;
  }

  /** A text with its matching words in <mark>. */
  function marked(text, hit) {
    const nodes = [];
    let done = 0;
    for (const piece of pieces(text)) {
      const { start } = piece;
      const end = endOfMatch(piece, hit);
      if (end <= start || end <= done) continue;
      const from = Math.max(start, done);
      nodes.push(text.slice(done, from), element("mark", {}, [text.slice(from, end)]));
      done = end;
    }
    return [...nodes, text.slice(done)];
  }

  /** The form as the address says. */
  function fillForm() {
    const asked = new URLSearchParams(location.search);
    for (const control of [field, kind, year, category]) {
      const value = control && asked.get(control.name);
      if (value) control.value = value;
      // A value that a select does not have.
      if (control?.selectedIndex === -1) control.selectedIndex = 0;
    }
  }

  function rememberForm() {
    const asked = new URLSearchParams();
    for (const control of [field, kind, year, category]) {
      if (control?.value) asked.set(control.name, control.value);
    }
    const query = asked.size === 0 ? "" : `?${asked}`;
    try {
      history.replaceState(null, "", location.pathname + query);
    } catch {
      // Some browsers allow no new address from file://.
    }
  }

  addEventListener("load", () => {
    if (current === undefined) status.textContent = say("search.lost");
  });

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(start, debounceMs);
    const [latest] = chosenShards();
    if (latest !== undefined) run(latest.path);
  });
  for (const select of form.querySelectorAll("select")) select.addEventListener("change", start);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    start();
  });
  more.firstElementChild.addEventListener("click", async () => {
    const search = current;
    if (search.isBusy) return;
    search.isBusy = true;
    const { shown } = search;
    ask(search);
    await proceed(search);
    search.isBusy = false;
    if (search === current) goOn(shown);
  });

  /** Moves the focus from the button, which may be gone, to the first new hit. */
  function goOn(shown) {
    const isElsewhere = ![document.body, more.firstElementChild].includes(document.activeElement);
    if (isElsewhere) return;
    const next = list.children[shown] ?? (more.hidden ? list.lastElementChild : more);
    next.querySelector("a, button").focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    event.preventDefault();
    field.focus();
  });
})();
