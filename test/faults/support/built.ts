/**
 * A module of the program as `npm run build` left it.
 *
 * @param module path below `src` without its ending, such as `api/client`
 */
export async function built<Module>(module: string): Promise<Module> {
  return await import(new URL(`../../../dist/${module}.js`, import.meta.url).href);
}
