// The search page: what its form asks, `search-index.js` finds.
(() => {
  const { find, hitOf, lost, load, nearWords, once, openSegments, pause, pieces, words } =
    globalThis.stillpressSearch;
  const form = document.querySelector("main form[role=search]");
  const { q: field, kind, year, category } = form.elements;
  const list = document.querySelector("#results");
  const status = document.querySelector("[role=status]");
  const meant = document.querySelector(".search-meant");
  const more = document.querySelector(".search-more");
  const ways = document.querySelector("#ways");

  /** Hits that are shown before a reader asks for more. */
  const pageSize = 10;
  /** Items with all words of a phrase that are looked through for it at once. */
  const phraseItems = 200;
  /** Hits that have but some of the words, at most. */
  const mostPartial = 30;
  const debounceMs = 100;
  /** Characters of an article's text that a hit shows around a word. */
  const charactersBefore = 60;
  const charactersAfter = 120;
  /** Mistakes in a word that another one may be meant by, if nothing is found. */
  const mistakesMeant = 3;
  const mostMeant = 5;

  /** Takes a phone as long as a search to make: only large numbers need it. */
  const largeNumbers = once(() => new Intl.NumberFormat(list.dataset.language));
  const digits = [...list.dataset.digits];
  const plurals = list.dataset.plurals.split(" ");
  const sentences = JSON.parse(list.dataset.words);

  const numberText = (n) =>
    n < 1000 ? String(n).replace(/\d/g, (digit) => digits[digit]) : largeNumbers().format(n);

  /** say("search.found", { n: 2 }) → "2 results." */
  function say(key, values = {}) {
    const found = sentences[key];
    const text =
      typeof found === "string"
        ? found
        : (found[plurals[values.n] ?? plurals[100 + (values.n % 100)]] ?? found.other);
    return text.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? numberText(value) : value;
    });
  }

  let segments = [];
  /** The search that is shown. A later one takes its place, also while it waits. */
  let current;
  /** Starts the search for what was typed, once nothing more is. */
  let waiting;

  async function start() {
    clearTimeout(waiting);
    const query = field.value.trim();
    const search = { query, next: 0, shown: 0 };
    current = search;
    rememberForm();
    if (words(query).length === 0) {
      clear(query === "" ? "" : say("search.none"));
      showWays(true);
      return;
    }
    status.textContent = say("search.busy");
    const isWanted = await wantedItems();
    const found = await find(segments, query, isWanted);
    const whole = found.ids.filter(found.isWhole).length;
    let partial = 0;
    const ids = found.ids.filter((id) => found.isWhole(id) || partial++ < mostPartial);
    Object.assign(search, found, { ids, whole });
    const hits = await nextHits(search);
    if (search !== current) return;
    clear(foundText(search));
    show(search, hits);
    if (search.shown === 0) await suggest(search);
    if (search === current) showWays(search.shown === 0);
  }

  const showWays = (isShown) => ways.classList.toggle("shown", isShown);

  function clear(said) {
    list.replaceChildren();
    meant.replaceChildren();
    more.hidden = true;
    status.textContent = said;
  }

  /** A test of what the selects choose. */
  async function wantedItems() {
    const isInYear = ({ kind: of, year: ofYear }) =>
      (!kind.value || of === kind.value) && (!year?.value || ofYear === year.value);
    const ranges = segments.flatMap((segment) => segment.ranges.filter(isInYear));
    const inRange = new Uint8Array(segments.at(-1)?.end ?? 0);
    for (const { from, to } of ranges) inRange.fill(1, from, to);
    const title = category?.value;
    if (!title) return (id) => inRange[id] === 1;
    const chosen = new Set();
    for (const { folder, ranges: own } of segments) {
      const first = own.find(({ kind: of }) => of === "article")?.from;
      const known = await load(`${folder}categories.js`);
      const wanted = known?.titles.indexOf(title) ?? -1;
      if (wanted === -1) continue;
      for (const [at, place] of known.places.entries())
        if (place === wanted) chosen.add(first + at);
    }
    return (id) => inRange[id] === 1 && chosen.has(id);
  }

  /** The elements of the hits that come next. Those with a phrase have it in their words. */
  async function nextHits(search) {
    const hits = [];
    const last = search.next + phraseItems;
    const { ids, phrases } = search;
    while (hits.length < pageSize && search.next < ids.length && search.next < last) {
      const some = ids.slice(search.next, search.next + pageSize - hits.length);
      search.next += some.length;
      const loaded = await Promise.all(some.map((id) => hitOf(segments, id)));
      for (const hit of loaded) {
        if (hit && hasPhrases(hit, phrases)) hits.push(hitElement(hit, search));
        // The page may do something else before the next one.
        await pause();
      }
    }
    return hits;
  }

  function hasPhrases({ title, snippet, text }, phrases) {
    const texts = [title, snippet, text].map((one) => ` ${words(one).join(" ")} `);
    return phrases.every((phrase) => texts.some((one) => one.includes(` ${phrase.join(" ")} `)));
  }

  function foundText({ ids, whole, next, phrases, matches }) {
    const missing = lost.size > 0 ? ` ${say("search.lost")}` : "";
    const isSure = phrases.length === 0;
    const partial = matches.length > 1 && isSure ? ids.length - whole : 0;
    if (!isSure && next < ids.length) return missing.trim();
    if (whole + partial === 0) return say("search.none") + missing;
    const some = partial === 0 ? "" : ` ${say("search.some", { n: partial })}`;
    return (whole === 0 ? "" : say("search.found", { n: whole })) + some + missing;
  }

  function show(search, hits) {
    list.append(...hits);
    search.shown += hits.length;
    if (search.phrases.length > 0) {
      const isEnd = search.next === search.ids.length;
      const n = search.shown;
      status.textContent = n > 0 || !isEnd ? say("search.found", { n }) : say("search.none");
    }
    more.hidden = search.next === search.ids.length;
  }

  /** Other words, categories and tags, where nothing is found. */
  async function suggest(search) {
    const asked = words(search.query);
    const unknown = search.matches.filter(({ word, terms }) => !terms.has(word));
    const near = await Promise.all(
      unknown.map(({ word }) => nearWords(segments, word, mistakesMeant)),
    );
    const subjects = (await load("search/subjects.js")) ?? [];
    if (search !== current) return;
    const corrected = (chosen) =>
      asked.map((word) => chosen[unknown.findIndex((match) => match.word === word)]?.term ?? word);
    const best = near.map(([nearest]) => nearest);
    const queries = best.some(Boolean) ? [corrected(best).join(" ")] : [];
    const links = queries.map((query) => {
      const address = `?${new URLSearchParams({ q: query })}`;
      return element("a", { href: location.pathname.split("/").pop() + address }, [query]);
    });
    const matching = subjects.filter(([title]) => {
      const own = words(title);
      return asked.some((word) => own.some((one) => one.startsWith(word) || word.startsWith(one)));
    });
    const groups = matching
      .slice(0, mostMeant)
      .map(([title, path, n]) =>
        element("a", { href: path, dir: "auto" }, [`${title} (${numberText(n)})`]),
      );
    for (const [key, all] of Object.entries({ "search.meant": links, "search.groups": groups })) {
      if (all.length === 0) continue;
      const items = all.map((link) => element("li", {}, [link]));
      meant.append(element("p", {}, [say(key)]), element("ul", { className: "tags" }, items));
    }
  }

  function hitElement(hit, search) {
    const link = element("a", { href: hit.path }, marked(hit.title, search));
    const facts = [element("span", {}, [say(hit.kind)])];
    if (hit.day !== "") facts.unshift(element("time", { dateTime: hit.day }, [hit.date]));
    if (hit.category) {
      const topic = element("bdi", {}, marked(hit.category, search));
      facts.push(element("span", { className: "topic" }, [topic]));
    }
    const told = marked(explanation(hit, search), search);
    const parts = [
      element("p", { className: "meta" }, facts),
      element("h2", { dir: "auto" }, [link]),
      element("p", { className: "synopsis", dir: "auto" }, told),
    ];
    return element("li", { className: "hit" }, [element("div", {}, parts), ...pictureOf(hit)]);
  }

  function pictureOf({ kind: of, picture: [src, width, height] }) {
    if (src === undefined || of === "article") return [];
    const image = { src, width, height, alt: "", loading: "lazy", decoding: "async" };
    return [element("img", image, [])];
  }

  function element(name, properties, children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /** The text that tells why an item is a hit: its summary, or what stands around a word in its body. */
  function explanation({ id, title, category, snippet, text }, { matches }) {
    const told = new Set(words(`${title} ${category} ${snippet}`));
    const untold = matches.filter(
      ({ weights, terms }) => weights[id] > 0 && ![...terms].some((term) => told.has(term)),
    );
    const terms = new Set(untold.flatMap((match) => [...match.terms]));
    return (terms.size > 0 && surroundings(text, terms)) || snippet;
  }

  /** What stands around the first of some words. */
  function surroundings(text, terms) {
    const all = pieces(text);
    const found = all.find(({ word }) => terms.has(word));
    if (found === undefined) return "";
    const first = all.find(({ start }) => start >= found.start - charactersBefore);
    const last = all.findLast(({ end }) => end <= found.end + charactersAfter);
    const head = first === all[0] ? text.slice(0, first.start) : "… ";
    const tail = last === all.at(-1) ? text.slice(last.end) : " …";
    return head + text.slice(first.start, last.end) + tail;
  }

  /** Where the match with a word ends; at its start if there is none. */
  function endOfMatch({ start, end, word, pair }, { terms, asked }) {
    if (!pair) return terms.has(word) ? end : start;
    // Of two characters that stand for a word, both have to be asked for, or the first alone.
    if (asked.includes(word)) return end;
    const [first] = asked;
    return asked.length === 1 && word.startsWith(first) ? start + first.length : start;
  }

  /** A text with its matching words in <mark>. */
  function marked(text, { terms, matches }) {
    const asked = matches.map(({ word }) => word);
    const nodes = [];
    let done = 0;
    for (const piece of pieces(text)) {
      const { start } = piece;
      const end = endOfMatch(piece, { terms, asked });
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

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(start, debounceMs);
  });
  for (const select of form.querySelectorAll("select")) select.addEventListener("change", start);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start();
  });
  more.firstElementChild.addEventListener("click", async () => {
    const search = current;
    if (search.isBusy) return;
    search.isBusy = true;
    const { shown } = search;
    const hits = await nextHits(search);
    search.isBusy = false;
    if (search !== current) return;
    show(search, hits);
    goOn(shown);
  });

  /** Moves the focus from the button, which may be gone, to the first new hit. */
  function goOn(shown) {
    const isElsewhere = ![document.body, more.firstElementChild].includes(document.activeElement);
    if (isElsewhere) return;
    const next = list.children[shown] ?? (more.hidden ? list.lastElementChild : more);
    next?.querySelector("a, button").focus();
  }

  // For a reader who arrives with a query, the first Tab leads to the first hit.
  document.addEventListener("keydown", function lead({ key, shiftKey }) {
    if (key !== "Tab" || list.childElementCount === 0) return;
    document.removeEventListener("keydown", lead);
    const isNowhere = document.activeElement === document.body && !shiftKey;
    if (isNowhere) list.focus({ preventScroll: true });
  });

  // The scripts with which the segments begin come after this one.
  document.addEventListener("DOMContentLoaded", () => {
    segments = openSegments(JSON.parse(list.dataset.indexes));
    fillForm();
    if (field.value === "" && document.activeElement === document.body) field.focus();
    start();
  });
})();
