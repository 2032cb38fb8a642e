import { Worker } from "node:worker_threads";

/**
 * Starts a module of the program as a thread.
 *
 * @param module its name without the extension
 * @param from `import.meta.url` of a module beside it
 * @param workerData plain data
 */
export function startThread(module: string, from: string, workerData: unknown): Worker {
  const isSource = from.endsWith(".ts");
  const { href } = new URL(`./${module}${isSource ? ".ts" : ".js"}`, from);
  if (!isSource) return new Worker(new URL(href), { workerData });
  // Run from its source, as tests and benchmarks do, it needs the loader, which no thread takes over.
  const start = `import("tsx/esm/api").then((tsx) => { tsx.register(); return import("${href}"); })`;
  return new Worker(start, { eval: true, workerData });
}
