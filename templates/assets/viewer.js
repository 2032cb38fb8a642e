// The viewer over a contact sheet. Without this script, tiles lead to the pages of their images.
(() => {
  const dialog = document.querySelector("dialog.viewer");
  const tiles = [...document.querySelectorAll(".tiles > li")];
  if (!dialog?.showModal) return;

  const frame = dialog.querySelector(".viewer-frame");
  const stage = dialog.querySelector(".viewer-stage");
  const count = dialog.querySelector(".viewer-count");
  const caption = dialog.querySelector(".caption");
  const page = dialog.querySelector(".viewer-page");
  const original = dialog.querySelector(".viewer-original");
  const buttons = Object.fromEntries(
    [...dialog.querySelectorAll("[data-do]")].map((button) => [button.dataset.do, button]),
  );
  const numbers = new Intl.NumberFormat(dialog.dataset.language);
  /** Pixels that a finger moves before it turns the page. */
  const swipe = 40;

  /** The image that is shown, counted from 0. */
  let at = 0;
  /** Its picture and its neighbours', by their numbers. */
  let pictures = new Map();

  const linkOf = (tile) => tile.querySelector("a");
  const addressed = () => tiles.findIndex(({ id }) => location.hash === `#${id}`);

  /** The picture of a tile, as large as the window needs it. */
  function pictureOf(tile) {
    const picture = linkOf(tile).firstElementChild.cloneNode(true);
    const image = picture.matches("img") ? picture : picture.querySelector("img");
    if (image === null) return picture;
    const ratio = image.getAttribute("width") / image.getAttribute("height");
    for (const part of [image, ...picture.querySelectorAll("source")]) {
      const widths = [...part.srcset.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width));
      // Small pictures stay small.
      const most = Math.max(0, ...widths);
      if (most > 0) part.sizes = `min(100vw, calc(100vh * ${ratio.toFixed(3)}), ${most}px)`;
    }
    image.loading = "eager";
    image.removeAttribute("fetchpriority");
    // A placeholder in the shape of the tile.
    image.removeAttribute("style");
    return picture;
  }

  /** Makes the pictures of some tiles, so that they load, and forgets the others. */
  function prepare(numbersOfTiles) {
    const wanted = numbersOfTiles.filter((number) => number in tiles);
    pictures = new Map(wanted.map((one) => [one, pictures.get(one) ?? pictureOf(tiles[one])]));
  }

  function show(number) {
    at = number;
    const tile = tiles[at];
    const link = linkOf(tile);
    prepare([at, at - 1, at + 1].filter((one) => one === at || pictures.has(one)));
    const picture = pictures.get(at);
    stage.replaceChildren(picture);
    const words = tile.querySelector(".caption")?.cloneNode(true).childNodes ?? [];
    caption.replaceChildren(...words);
    count.textContent = dialog.dataset.count
      .replace("{at}", numbers.format(at + 1))
      .replace("{all}", numbers.format(tiles.length));
    page.href = link.href;
    original.hidden = link.dataset.original === undefined;
    if (!original.hidden) original.href = link.dataset.original;
    // A disabled button would lose the focus.
    buttons.previous.setAttribute("aria-disabled", at === 0);
    buttons.next.setAttribute("aria-disabled", at === tiles.length - 1);
    const image = picture.querySelector("img") ?? picture;
    const shown = image.decode?.() ?? Promise.resolve();
    const load = () => number === at && dialog.open && prepare([at, at - 1, at + 1]);
    shown.then(load, load);
  }

  /** Some browsers allow no new address from file://. */
  function address(method, state, hash) {
    try {
      history[method](state, "", location.pathname + location.search + hash);
    } catch {
      // The viewer then has no address of its own.
    }
  }

  function open(number) {
    // Going back leads to the tile of the image that was shown last, not to where the reader was.
    history.scrollRestoration = "manual";
    dialog.showModal();
    buttons.close.focus();
    show(number);
  }

  function turnTo(number) {
    if (!(number in tiles) || number === at) return;
    show(number);
    address("replaceState", history.state, `#${tiles[at].id}`);
  }

  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
      return;
    const number = tiles.indexOf(event.target.closest?.(".tiles > li"));
    if (number === -1 || event.defaultPrevented || !event.target.closest("a")) return;
    event.preventDefault();
    open(number);
    address("pushState", { viewer: true }, `#${tiles[number].id}`);
  });

  const actions = {
    close: () => dialog.close(),
    previous: () => turnTo(at - 1),
    next: () => turnTo(at + 1),
    fullscreen: () =>
      document.fullscreenElement === null ? frame.requestFullscreen() : document.exitFullscreen(),
  };
  for (const [name, button] of Object.entries(buttons)) {
    button.addEventListener("click", actions[name]);
  }
  buttons.fullscreen.hidden = !document.fullscreenEnabled;

  const forward = () => (document.dir === "rtl" ? -1 : 1);

  document.addEventListener("keydown", (event) => {
    if (!dialog.open || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    const targets = {
      ArrowLeft: at - forward(),
      ArrowRight: at + forward(),
      Home: 0,
      End: tiles.length - 1,
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    turnTo(targets[event.key]);
  });

  let start;
  stage.addEventListener("pointerdown", (event) => {
    // A second finger zooms.
    start = event.isPrimary && event.pointerType !== "mouse" ? event : undefined;
  });
  stage.addEventListener("pointerup", (event) => {
    if (start === undefined || !event.isPrimary || globalThis.visualViewport?.scale > 1) return;
    const x = event.clientX - start.clientX;
    const isSwipe = Math.abs(x) > swipe && Math.abs(x) > Math.abs(event.clientY - start.clientY);
    start = undefined;
    if (isSwipe) turnTo(at + (x < 0 ? 1 : -1) * forward());
  });

  dialog.addEventListener("close", () => {
    if (document.fullscreenElement !== null) document.exitFullscreen();
    if (addressed() !== -1) {
      if (history.state?.viewer) history.back();
      else address("replaceState", null, "");
    }
    stage.replaceChildren();
    pictures = new Map();
    linkOf(tiles[at]).focus();
    history.scrollRestoration = "auto";
  });

  function follow() {
    const number = addressed();
    if (number === -1) {
      dialog.close();
      history.scrollRestoration = "auto";
    } else if (!dialog.open) open(number);
    else if (number !== at) show(number);
  }
  addEventListener("hashchange", follow);
  if (addressed() !== -1) follow();
})();
