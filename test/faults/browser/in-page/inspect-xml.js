// What is wrong with an XML text, as the browser's own parser reads it; "" where nothing is.
globalThis.faultIn = (text) => {
  // The site writes Atom (RFC 4287), sitemaps with Google's extension, and OpenSearch 1.1. A payload that became markup
  // has another name.
  const elements =
    /^(?:feed|entry|id|title|subtitle|published|updated|author|name|link|category|summary|urlset|sitemapindex|sitemap|url|loc|lastmod|image|OpenSearchDescription|ShortName|Description|InputEncoding|Image|Url)$/;
  const attributes =
    /^(?:xmlns(?::image)?|xml:lang|rel|type|href|length|term|template|width|height)$/;
  const read = new DOMParser().parseFromString(text, "application/xml");
  const error = read.querySelector("parsererror");
  if (error !== null) return error.textContent.replace(/\s+/g, " ").slice(0, 160);
  for (const element of read.querySelectorAll("*")) {
    if (!elements.test(element.localName)) return `an element: ${element.outerHTML.slice(0, 200)}`;
    const odd = [...element.attributes].find(({ name }) => !attributes.test(name));
    if (odd !== undefined) return `an attribute: ${element.outerHTML.slice(0, 200)}`;
    const urls = [
      ...["href", "template"].map((name) => element.getAttribute(name) ?? ""),
      ...(element.localName === "loc" ? [element.textContent] : []),
    ];
    const foreign = urls.find((url) => /^\s*(?!https?:)[a-z-]+:|canary\.example/i.test(url));
    if (foreign !== undefined) return `an address: ${foreign.slice(0, 200)}`;
  }
  return "";
};
