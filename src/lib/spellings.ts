/**
 * Secrets by their own text: what is cut out of an origin's answers, may not be printed, and is looked for a last time
 * before publishing. Each search takes time in proportion to the text.
 */

/**
 * How a secret stands in a text: itself, in a URL, in JSON, in HTML, in hexadecimal, and within something in base64,
 * such as an Authorization header.
 */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Of base64 what the secret alone decides, for the three places where it can begin in a group of bytes.
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const inUrl = encodeURIComponent(secret);
  const escaped = (write: (code: number) => string): string =>
    secret.replace(/[^\w.-]/g, (sign) => write(sign.charCodeAt(0)));
  const json = JSON.stringify(secret).slice(1, -1);
  const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const forms = [
    ...[secret, json, json.replaceAll("/", "\\/")],
    ...[inUrl, inUrl.replace(/%../g, (code) => code.toLowerCase()), encodeURIComponent(inUrl)],
    ...[html, html.replaceAll('"', "&quot;").replaceAll("'", "&#39;")],
    escaped((code) => `&#${code};`),
    escaped((code) => `&#x${code.toString(16)};`),
    escaped((code) => `&#x${code.toString(16).toUpperCase()};`),
    ...[bytes.toString("hex"), bytes.toString("hex").toUpperCase()],
    ...base64.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]),
  ];
  return [...new Set(forms)];
}
