import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/*
 * Two rings. `npm test` runs the core: what a contributor must know before a commit, in about three minutes.
 * `npm run test:all` runs everything.
 */

/** Tests that take long: full samples on every server, processes that are killed, every kind of damage. */
const long = [
  "test/api/{client-clock,close,governor-rate}.test.ts",
  "test/archive/{first-night,gaps,kept,media-token,mirror,older,other-hosts,plain-hosting,private-images,secrets,site}.test.ts",
  "test/changes/diff.test.ts",
  "test/cli/{demo,exit-codes,moved,nights,npm,resume}.test.ts",
  "test/compare/compare.test.ts",
  "test/crawl/{counted,doubts,filters,gaps,last-page,nights,removals,shrunk,trouble}.test.ts",
  "test/demo/art.test.ts",
  "test/engine/*.test.ts",
  "test/examples/{client,nightly}.test.ts",
  "test/faults/scenarios.test.ts",
  "test/hosts/{downloads,functions,servers,sizes}.test.ts",
  "test/hosts/drop-in-*.test.ts",
  "test/media/{absent,decoders,kill,links,media,recheck}.test.ts",
  "test/mirror/{empty-lists,origin,single-images}.test.ts",
  "test/pack/large.test.ts",
  "test/plan/plan.test.ts",
  "test/preview/watch.test.ts",
  "test/probe/init.test.ts",
  "test/publish/{any-number-of-threads,files-swap,forget,prune,rollback,rollback-command}.test.ts",
  "test/review/desk.test.ts",
  "test/security/long/*.test.ts",
  "test/site/{browser,hard-cases,keyboard,viewer}.test.ts",
  "test/state/state.test.ts",
  "test/store/lock.test.ts",
  "test/upload/swift.test.ts",
  "test/world/world.test.ts",
  "test/verify/{repair,repair-gaps,verify}.test.ts",
];

/** Begins with what takes minutes, so that nothing else has to wait for it in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean =>
      /\/drop-in-|\/faults\//.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/set-up.ts"],
    setupFiles: ["test/support/seeds.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    // Browsers, servers and processes are real, and so are busy machines. What passes the second time only is printed
    // as a retry; on a machine of ours it fails.
    retry: process.env.CI === undefined ? 0 : 1,
    // Modules have no state of their own, so that the files of a worker can share them.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "core", include: ["test/**/*.test.ts"], exclude: long } },
      { extends: true, test: { name: "long", include: long } },
    ],
  },
});
