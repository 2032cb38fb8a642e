/**
 * The status that a request target is refused with before it is looked up, by its raw form: path and query as they
 * were sent. Undefined for one that may name something.
 *
 * 414 for a longer one than servers take; 400 for steps out of a folder, escaped or not, and for characters that no
 * path of an archive has; 404 for an escaped slash, which some servers take for a real one.
 */
export function refusalOf(target: string, longest: number): 400 | 404 | 414 | undefined {
  if (target.length > longest) return 414;
  const path = target.replace(/[?#].*$/s, "");
  if (!path.startsWith("/") || /\/(?:\.|%2e){1,2}(?:\/|$)|\\|%5c|%00/i.test(path)) return 400;
  if (/%(?![\da-f]{2})/i.test(path)) return 400;
  return /%2f|\/\//i.test(path) ? 404 : undefined;
}
