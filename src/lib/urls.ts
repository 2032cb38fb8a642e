/** Host of a URL from behind its slashes, as URLs compare: without port, in lower case, in ASCII; "" for none. */
export function hostnameOf(rest: string): string {
  const url = `http://${/^[^/?#\\&]*/.exec(rest)?.[0]}`;
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** Percent-decoded; as it is where that is no text. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
