import { type Filters, parametersOf } from "../../src/routes/filters.ts";

/** Name of a combination of filters as `mirror.filters` has it; undefined for no filter. */
export function combinationOf({ tags = [], ...others }: Filters): string | undefined {
  const names = [...parametersOf(others).map(([name]) => name), ...tags.map(() => "tag")];
  return names.length === 0 ? undefined : names.join("+");
}
