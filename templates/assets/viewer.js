// The viewer over a contact sheet. Without this script, tiles lead to the pages of their images.
(() => {
  const dialog = document.querySelector("dialog.viewer");
  const tiles = [...document.querySelectorAll(".tiles > li")];
  if (!dialog?.showModal) return;

  const frame = dialog.querySelector(".viewer-frame");
  const stage = dialog.querySelector(".viewer-stage");
  const count = dialog.querySelector(".viewer-count bdi");
  const caption = dialog.querySelector(".caption");
  const page = dialog.querySelector(".viewer-page");
  const original = dialog.querySelector(".viewer-original");
  const acting = [...dialog.querySelectorAll("[data-do]")];
  const buttons = Object.fromEntries(acting.map((button) => [button.dataset.do, button]));
  const numbers = new Intl.NumberFormat(dialog.dataset.language);
  /** Pixels that a finger moves before it turns the page. */
  const swipe = 40;
  /** Pixels that one key moves a picture that is larger than the window. */
  const step = 120;
  /** How far two fingers move apart, or together, before the picture changes its size. */
  const pinch = 1.25;

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
    image.alt = tile.querySelector(".caption b")?.textContent ?? image.alt;
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
    const ahead = number < at ? -1 : 1;
    at = number;
    zoom(false);
    const tile = tiles[at];
    const link = linkOf(tile);
    prepare([at, at - 1, at + 1].filter((one) => one === at || pictures.has(one)));
    const picture = pictures.get(at);
    stage.replaceChildren(picture);
    const words = tile.querySelector(".caption")?.cloneNode(true).childNodes ?? [];
    caption.replaceChildren(...words);
    // The picture has it as its alternative text.
    caption.querySelector("b")?.setAttribute("aria-hidden", "true");
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
    frame.querySelector(":scope > .play")?.remove();
    if (image.dataset.animation) globalThis.stillpressPlayable?.(image, frame);
    const shown = image.decode?.() ?? Promise.resolve();
    const load = () =>
      number === at && dialog.open && prepare([at, at - ahead, at + ahead, at + 2 * ahead]);
    shown.then(load, load);
  }

  /**
   * Shows the picture in its own pixels, or as large as the window. @param x and y what stays where it is, in pixels of the
   * window; by default the middle
   */
  function zoom(isLarge, x = innerWidth / 2, y = innerHeight / 2) {
    const image = stage.querySelector("img");
    const isZoomed = stage.classList.contains("zoomed");
    if (image === null || isLarge === isZoomed) return;
    const place = pictureBox(image);
    const [across, down] = [(x - place.x) / place.width, (y - place.y) / place.height];
    stage.classList.toggle("zoomed", isLarge);
    buttons.zoom.setAttribute("aria-pressed", isLarge);
    const own = isLarge ? ownWidth(image) : null;
    image.style.width = own === null ? "" : `${own}px`;
    image.style.height = own === null ? "" : "auto";
    for (const part of [image, ...stage.querySelectorAll("source")]) {
      if (own === null && part.dataset.sizes) part.sizes = part.dataset.sizes;
      else if (own !== null) [part.dataset.sizes, part.sizes] = [part.sizes, `${own}px`];
    }
    const now = image.getBoundingClientRect();
    stage.scrollBy(now.x + across * now.width - x, now.y + down * now.height - y);
  }

  /** Where the pixels of a picture lie that does not fill its box. */
  function pictureBox(image) {
    const box = image.getBoundingClientRect();
    const ratio = image.getAttribute("width") / image.getAttribute("height");
    const width = Math.min(box.width, box.height * ratio);
    const height = width / ratio;
    const [x, y] = [box.x + (box.width - width) / 2, box.y + (box.height - height) / 2];
    return { x, y, width, height };
  }

  /** Pixels of the largest file. */
  function ownWidth(image) {
    const widths = [...image.srcset.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width));
    return Math.max(Number(image.getAttribute("width")), ...widths);
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
    zoom: () => zoom(!stage.classList.contains("zoomed")),
    fullscreen: () =>
      document.fullscreenElement === null ? frame.requestFullscreen() : document.exitFullscreen(),
  };
  for (const button of acting) button.addEventListener("click", actions[button.dataset.do]);
  buttons.fullscreen.hidden = !document.fullscreenEnabled;

  const forward = () => (document.dir === "rtl" ? -1 : 1);

  document.addEventListener("keydown", (event) => {
    if (!dialog.open || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    const isZoomed = stage.classList.contains("zoomed");
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const [left, right] = [at - forward(), at + forward()];
    const targets = { ArrowLeft: left, ArrowRight: right, Home: 0, End: tiles.length - 1 };
    if (event.key === "+" || event.key === "-") zoom(event.key === "+");
    else if (isZoomed && event.key in steps)
      stage.scrollBy(...steps[event.key].map((of) => of * step));
    else if (event.key in targets) turnTo(targets[event.key]);
    else return;
    event.preventDefault();
  });

  /** Fingers, or the mouse, on the picture: where each began, and how far two were apart. */
  const held = new Map();
  let apart;
  let moved = false;
  let tapped;

  const distance = () => {
    const [a, b] = [...held.values()].map(({ now }) => now);
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };

  stage.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, { start: event, now: event });
    moved = false;
    apart = held.size === 2 ? distance() : undefined;
  });
  stage.addEventListener("pointermove", (event) => {
    const own = held.get(event.pointerId);
    if (own === undefined) return;
    const { now } = own;
    own.now = event;
    if (apart !== undefined && held.size === 2) {
      const grown = distance() / apart;
      if (grown > pinch || grown < 1 / pinch) zoom(grown > 1, event.clientX, event.clientY);
      moved = true;
    } else if (event.pointerType === "mouse" && stage.classList.contains("zoomed")) {
      stage.scrollBy(now.clientX - event.clientX, now.clientY - event.clientY);
      moved ||= Math.abs(event.clientX - own.start.clientX) > 4;
    }
  });
  stage.addEventListener("pointercancel", ({ pointerId }) => held.delete(pointerId));
  stage.addEventListener("pointerup", (event) => {
    const start = held.get(event.pointerId)?.start;
    held.delete(event.pointerId);
    if (start === undefined || moved || apart !== undefined) {
      if (held.size === 0) apart = undefined;
      return;
    }
    const isZoomed = stage.classList.contains("zoomed");
    if (event.pointerType === "mouse") {
      if (event.button === 0) zoom(!isZoomed, event.clientX, event.clientY);
      return;
    }
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
    if (!isZoomed && Math.abs(x) > swipe && Math.abs(x) > Math.abs(y))
      turnTo(at + (x < 0 ? 1 : -1) * forward());
    const isSecond = event.timeStamp - (tapped?.timeStamp ?? -1000) < 300;
    if (isSecond && Math.hypot(x, y) < 10) zoom(!isZoomed, event.clientX, event.clientY);
    tapped = isSecond ? undefined : event;
  });
  // The mouse would drag a copy of the picture.
  stage.addEventListener("dragstart", (event) => event.preventDefault());

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
