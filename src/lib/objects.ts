export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The order of a list that PHP writes as an object, once something was taken from it: `{"1":"a","3":"b"}`. */
const place = /^(?:0|[1-9]\d{0,8})$/;

/** The rows of a list, which can be an object with their places; any other value as it is. */
export function rowsOf(value: unknown): unknown {
  const names = isObject(value) ? Object.keys(value) : [];
  const isList = names.length > 0 && names.every((name) => place.test(name));
  return isList ? Object.values(Object(value)) : value;
}

/** The member of this name, or at this path with dots; undefined where there is none. */
export function memberAt(object: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path];
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Members by their names without capitals and separators: those of "displayName" and "display_name" are one. */
export function plainMembers<T>(object: Readonly<Record<string, T>>): Map<string, T> {
  const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");
  return new Map(Object.entries(object).map(([name, value]) => [plain(name), value]));
}
