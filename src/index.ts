/** What a program may use of stillpress; the command is built from the same parts. */
export {
  type ApiClient,
  type ClientLimits,
  type ClientOptions,
  createClient,
  type Validators,
} from "./api/client.ts";
export { createLinkBook, type LinkBook } from "./api/links.ts";
export { type LoadedConfig, type LoadOptions, loadConfig, readToken } from "./config/load.ts";
export { type Config, ConfigSchema } from "./config.ts";
export type { CrawlInput } from "./crawl/context.ts";
export { type CrawlResult, runCrawl } from "./crawl/crawl.ts";
export { exitCodes, StillpressError } from "./errors.ts";
export type { Clock } from "./lib/clock.ts";
export type { Problem, Progress, Reporter } from "./lib/reporter.ts";
export type { MediaOptions } from "./media/context.ts";
export { type MediaResult, runMedia } from "./media/media.ts";
export { type BuildInput, type BuildResult, buildArchive } from "./publish/build.ts";
export { type ApiRequest, createRoutes, type Routes } from "./routes/table.ts";
export type { ArchiveFile, ArchiveFiles, ByteRange, MadeImage } from "./serve/archive.ts";
export { openFolder } from "./serve/folder.ts";
export { createHandler, type Handler, type HandlerOptions } from "./serve/handler.ts";
export { type RunningServer, type ServerOptions, startServer } from "./serve/server.ts";
export { openStore, type Store } from "./store/store.ts";
