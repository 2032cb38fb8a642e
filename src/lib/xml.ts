/** What XML 1.0 allows in no document, not even as a character reference. Section 2.2 of the recommendation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

const references: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A text for an element or an attribute of XML. Characters that XML forbids are dropped. */
export function xmlText(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"]/g, (char) => references[char] as string);
}

/**
 * An element as text.
 *
 * @param content XML; without it, the element is empty
 */
export function xmlElement(
  name: string,
  attributes: Record<string, string | number | undefined>,
  content = "",
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${xmlText(String(value))}"`],
  );
  const head = `<${name}${written.join("")}`;
  return content === "" ? `${head}/>` : `${head}>${content}</${name}>`;
}
