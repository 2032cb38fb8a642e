import { lookup } from "mrmime";

/** Content type of a file by its name; text is UTF-8. `application/octet-stream` where the name tells nothing. */
export function typeOfPath(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const type =
    (name.slice(1).includes(".") ? lookup(name) : undefined) ??
    (name.endsWith(".ico") ? "image/x-icon" : "application/octet-stream");
  return /^text\//.test(type) ? `${type}; charset=utf-8` : type;
}
