// What on the page could run a script, or load something from elsewhere, that the site did not put there.
(() => {
  const found = [];
  const ofUrls =
    /^(?:href|src|srcset|action|formaction|data|poster|cite|background|ping|longdesc|manifest|codebase|xlink:href|to|values|from)$/;
  const foreign = "iframe, frame, object, embed, applet, portal, fencedframe, base, foreignObject";
  const report = (rule, element) => found.push(`${rule}: ${element.outerHTML.slice(0, 200)}`);

  const formula =
    /^(?:math|merror|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|ms|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none|semantics)$/;
  const drawing =
    /^(?:svg|g|defs|tspan|linearGradient|radialGradient|stop|clipPath|title|path|rect|circle|ellipse|line|polyline|polygon|text)$/;
  /** What can load, run or style something. */
  const active = /^(?:on.*|.*href|src.*|style|action|definitionurl|attributename|from|to|values)$/i;

  /** Whether an element and all in it have these names in one namespace, and nothing that is active. */
  const isHarmless = (root, names) =>
    [root, ...root.querySelectorAll("*")].every(
      ({ namespaceURI, localName, attributes }) =>
        namespaceURI === root.namespaceURI &&
        names.test(localName) &&
        [...attributes].every(
          ({ name, value }) => !active.test(name) && !/url\((?!#[\w.:-]+\))/i.test(value),
        ),
    );

  /** Whether a URL is a drawing that browsers cannot run, and could not if it were a page. */
  const isDrawing = (url) => {
    const [, markup] = /^data:image\/svg\+xml,([\w%.!~*'()-]+)$/.exec(url) ?? [];
    if (markup === undefined) return false;
    const type = "image/svg+xml";
    const { documentElement } = new DOMParser().parseFromString(decodeURIComponent(markup), type);
    return documentElement.localName === "svg" && isHarmless(documentElement, drawing);
  };

  const schemeOf = (text) => {
    try {
      return new URL(text, document.baseURI).protocol;
    } catch {
      return "";
    }
  };

  const checkUrl = (element, name, value) => {
    const urls = name === "srcset" ? value.split(/\s*,\s*/) : [value];
    for (const url of urls) {
      const scheme = schemeOf(url);
      const isPicture = /^\s*data:image\/(?!svg)/i.test(url) || isDrawing(url);
      const picture = isPicture && element.localName === "img";
      if (/^(?:javascript|vbscript|livescript|blob|filesystem|view-source|feed):$/.test(scheme)) {
        report(`a ${scheme} URL`, element);
      } else if (scheme === "data:" && !picture) report("a data: URL", element);
    }
  };

  /** A file of the site's, or the structured data in its head, which no browser runs. */
  const isOurs = (element) => {
    const { src, type, text } = element;
    if (type === "application/ld+json") return src === "" && element.matches("head > script");
    const own = src.startsWith(new URL("/", location.href).href.replace(/\/$/, ""));
    const named = /\/(?:assets\/[a-z0-9._-]+|search\/[a-z0-9-]+)\.js$/.test(src);
    return own && named && text.trim() === "";
  };

  const checkElement = (element) => {
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) report("an event handler", element);
      if (/^srcdoc$/i.test(name)) report("a document in an attribute", element);
      if (ofUrls.test(name.toLowerCase())) checkUrl(element, name.toLowerCase(), value);
      if (name === "style" && /url\(|@import|expression/i.test(value)) report("a style", element);
    }
    if (element.localName === "script" && !isOurs(element)) report("a script", element);
    if (element.matches(foreign)) report("a foreign element", element);
    if (element.localName === "math" && !isHarmless(element, formula)) {
      report("a formula that is more than one", element);
    }
    if (element.localName === "style") report("a style sheet", element);
    if (element.matches("meta[http-equiv=refresh i]")) report("a refresh", element);
    if (element.matches("body link, body meta")) report("a head element in the body", element);
    if (element.matches("link:not([rel=canonical])") && /^https?:$/.test(schemeOf(element.href))) {
      if (new URL(element.href).origin !== location.origin) report("a link elsewhere", element);
    }
  };

  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      checkElement(element);
      if (element.shadowRoot) visit(element.shadowRoot);
      if (element.localName === "template") visit(element.content);
    }
  };
  visit(document);
  return { hit: window.__hit ?? null, found, elements: document.querySelectorAll("*").length };
})();
