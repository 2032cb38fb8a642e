// What a page looks like to a reader who has only a keyboard: what may have the focus, what has it, and whether it is seen.
(() => {
  const own = "a[href], button, input, select, textarea, summary, audio[controls], video[controls]";
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const isScrolled = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    const isWide = /auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth;
    return isWide || (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight);
  };

  /** A second link to the same place, which only a mouse needs. */
  function isRepeated(element) {
    if (element.tabIndex !== -1) return false;
    const links = element.closest("article")?.querySelectorAll("a[href]") ?? [];
    return Array.from(links).some((link) => link.tabIndex === 0 && link.href === element.href);
  }

  /** Everything that a mouse can use, in the order of the document. */
  function usable() {
    const within = document.querySelector("dialog[open]") ?? document.body;
    return Array.from(within.querySelectorAll("*")).filter((element) => {
      if (!isSeen(element) || element.disabled) return false;
      if (element.matches(own)) return !isRepeated(element);
      if (element.hasAttribute("tabindex")) return element.tabIndex >= 0;
      return isScrolled(element) && element.querySelector(own) === null;
    });
  }

  function nameOf(element) {
    const { tagName, className, href } = element;
    const words = element.getAttribute("aria-label") ?? href ?? element.textContent;
    const text = words.trim().replace(/\s+/g, " ").slice(-50);
    const at = Array.from(document.querySelectorAll("*")).indexOf(element);
    return `${tagName.toLowerCase()}${className && `.${className}`} (${at}) ${text}`;
  }

  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  function luminance(color) {
    const [r, g, b] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function behind(element) {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if ((color[3] ?? 1) > 0) return color;
    }
    return [255, 255, 255];
  }

  /** The parts of the window that an element's ancestors leave to it. */
  function clips(element) {
    const found = [];
    for (let at = element.parentElement; at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, clipPath } = getComputedStyle(at);
      const { left, top, right, bottom } = at.getBoundingClientRect();
      if (overflowX !== "visible") found.push({ left: left + at.clientLeft, right, by: at });
      if (overflowY !== "visible") found.push({ top: top + at.clientTop, bottom, by: at });
      const inset = /inset\(([^)]*)\)/.exec(clipPath)?.[1]?.split(" ").map(Number.parseFloat);
      if (inset === undefined) continue;
      const [t, r = t, b = t, l = r] = inset;
      found.push({ left: left + l, top: top + t, right: right - r, bottom: bottom - b, by: at });
    }
    return found;
  }

  const boxesOf = (element) =>
    Array.from(element.getClientRects()).filter(({ width, height }) => width > 0 && height > 0);

  const windowEdge = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };

  /** Sides of a box whose outline is cut by an edge, but for what is too large for the window. */
  function cutSides({ left, top, right, bottom, width, height }, edge, ring) {
    const beyond = {};
    if (height + 2 * ring <= innerHeight) {
      beyond.top = edge.top - top + ring;
      beyond.bottom = bottom + ring - edge.bottom;
    }
    if (width + 2 * ring <= innerWidth) {
      beyond.left = edge.left - left + ring;
      beyond.right = right + ring - edge.right;
    }
    return Object.keys(beyond).filter((side) => beyond[side] > 0.6);
  }

  /** Whether something else lies over a box. */
  function isCovered(element, { left, top, right, bottom, width }) {
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
    let seen = 0;
    for (let x = left + 2; x < right - 1; x += 4) {
      const hit = document.elementFromPoint(x, y);
      if (hit !== null && element.contains(hit)) seen += 4;
    }
    return seen < Math.min(innerWidth, width) - 8;
  }

  /** What keeps a reader from seeing that this element has the focus. */
  function faultsOf(element) {
    // Within a player, the browser itself shows where the focus is.
    if (element.matches("audio, video") && !element.matches(":focus-visible")) return [];
    const { outlineStyle, outlineWidth, outlineOffset, outlineColor } = getComputedStyle(element);
    if (boxesOf(element).length === 0) return ["has no size"];
    if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) return ["has no outline"];
    const faults = [];
    const offset = Number.parseFloat(outlineOffset);
    const ring = Math.max(0, offset + Number.parseFloat(outlineWidth));
    const ground = behind(offset < 0 ? element : element.parentElement);
    const pair = [luminance(parse(outlineColor)), luminance(ground)];
    const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (contrast < 3) faults.push(`has an outline with a contrast of ${contrast.toFixed(2)}`);
    for (const box of boxesOf(element)) {
      for (const edge of [...clips(element), windowEdge]) {
        const sides = cutSides(box, edge, ring);
        if (sides.length === 0) continue;
        faults.push(`is cut at ${sides.join()} by ${edge.by ? nameOf(edge.by) : "the window"}`);
      }
      if (isCovered(element, box)) faults.push("is covered");
    }
    return faults;
  }

  /** Elements of one kind look alike. */
  function kindOf(element) {
    const path = [];
    for (let at = element; at !== document.body && path.length < 3; at = at.parentElement) {
      path.push(`${at.tagName.toLowerCase()}.${at.className}`);
    }
    return path.join(" < ");
  }

  /** The element that has the focus: its place in `usable`, and a fault or none. */
  function focused() {
    const element = document.activeElement;
    if (element === document.body || element === document.documentElement) return null;
    const boxes = boxesOf(element);
    const box = {
      left: Math.max(0, Math.min(...boxes.map(({ left }) => left))),
      top: Math.max(0, Math.min(...boxes.map(({ top }) => top))),
      right: Math.min(innerWidth, Math.max(...boxes.map(({ right }) => right))),
      bottom: Math.min(innerHeight, Math.max(...boxes.map(({ bottom }) => bottom))),
    };
    return { name: nameOf(element), kind: kindOf(element), faults: faultsOf(element), box };
  }

  let left = null;
  globalThis.focusOf = {
    usable: () => usable().map(nameOf),
    focused,
    name: () => (document.activeElement === document.body ? "" : nameOf(document.activeElement)),
    leave() {
      left = document.activeElement;
      left.blur();
    },
    comeBack: () => left.focus({ preventScroll: true, focusVisible: true }),
  };
})();
