import { xmlText } from "./foreign.ts";

/** An element as text. @param content XML; without it, the element is empty */
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
