/** `1 problem`, `3 problems`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a text says behind the first items of a list, of so many others: `, and 3 more`. */
export function andMore(others: number): string {
  return others > 0 ? `, and ${others} more` : "";
}

/** What is said of pictures that nothing proves public, where there is no index of images to prove it. */
export function withoutProof(pictures: string) {
  return {
    text: `${pictures} are not published: this token has no index of images, so that nothing proves that they are public`,
    hint: 'if all that the token sees may be public, set media.unproved to "publish"',
  };
}

/** The first position at which two texts differ. */
export function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The text without these characters at its end, in linear time. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

/** Where a value stands in a JSON document: `media.variants[2].width`; "" for all of it. */
export function jsonPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return parts.join("").replace(/^\./, "");
}
