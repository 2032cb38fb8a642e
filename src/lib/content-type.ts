import { lookup } from "mrmime";

/** Content type by the name of a file; text is UTF-8. `application/octet-stream` for unknown names. */
export function typeOfPath(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const type =
    (name.slice(1).includes(".") ? lookup(name) : undefined) ??
    (name.endsWith(".ico") ? "image/x-icon" : "application/octet-stream");
  return /^text\//.test(type) ? `${type}; charset=utf-8` : type;
}
