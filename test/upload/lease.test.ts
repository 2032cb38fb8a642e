import { afterEach, describe, expect, it } from "vitest";
import { exitCodes } from "../../src/errors.ts";
import { silent } from "../../src/lib/reporter.ts";
import { openTarget } from "../../src/targets/open.ts";
import { placeOf } from "../../src/targets/place.ts";
import { leaseKey, takeLease } from "../../src/upload/lease.ts";
import { type Bucket, startBucket } from "../support/bucket.ts";
import { withVariables } from "./support.ts";

const times = { beatMs: 40, silentMs: 300, lookMs: 50, meetMs: 100 };
let bucket: Bucket;
let restore: () => void;

afterEach(async () => {
  restore();
  await bucket.close();
});

async function open(conditions: "heeded" | "ignored" | "unknown" = "heeded") {
  bucket = await startBucket({ conditions });
  restore = withVariables(bucket.environment);
  return openTarget(placeOf(bucket.name));
}

const options = { reporter: silent, times, onLost: () => {} };
const locked = { exitCode: exitCodes.locked };
const text = () => JSON.parse(bucket.objects.get(leaseKey)?.content.toString() ?? "{}");
/** What another machine has written. */
function writeOther(change: object): void {
  const content = Buffer.from(JSON.stringify({ ...text(), ...change }));
  bucket.objects.set(leaseKey, { content, headers: {}, etag: `"${Math.random()}"` });
}
const elsewhere = () => ({ run: "of-another", holder: { ...text().holder, host: "another" } });

describe.each(["heeded", "ignored", "unknown"] as const)(
  "where conditions are %s",
  (conditions) => {
    it("one of two runs that begin at once has the target", async () => {
      const target = await open(conditions);
      const both = await Promise.allSettled([1, 2].map(() => takeLease(target, options)));
      const taken = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(taken).toHaveLength(1);
      await taken[0]?.ensure();
      await taken[0]?.release(true);
      expect(bucket.objects.has(leaseKey)).toBe(false);
    });

    it("a run of another machine that gives no sign of life is followed", async () => {
      const target = await open(conditions);
      const first = await takeLease(target, { ...options, times: { ...times, beatMs: 60_000 } });
      writeOther(elsewhere());
      await first.release(true);
      expect(bucket.objects.has(leaseKey)).toBe(true);
      const next = await takeLease(target, options);
      expect(next.afterUnfinished).toBe(true);
      await next.release(true);
    });

    it("a run of another machine that goes on is not", async () => {
      const target = await open(conditions);
      await takeLease(target, { ...options, times: { ...times, beatMs: 60_000 } });
      let beat = 0;
      const beating = setInterval(() => writeOther({ ...elsewhere(), beat: ++beat }), 20);
      await expect(takeLease(target, options)).rejects.toMatchObject(locked);
      clearInterval(beating);
    });
  },
);

it("a run of another machine that ends while it is waited for is followed", async () => {
  const target = await open();
  const first = await takeLease(target, { ...options, times: { ...times, beatMs: 60_000 } });
  writeOther(elsewhere());
  await first.release(true);
  setTimeout(() => bucket.objects.delete(leaseKey), 80);
  const next = await takeLease(target, options);
  expect(next.afterUnfinished).toBe(false);
  await next.release(true);
});

it("a run of this machine that goes on is found at once", async () => {
  const target = await open();
  const lease = await takeLease(target, options);
  const started = performance.now();
  await expect(takeLease(target, options)).rejects.toMatchObject(locked);
  expect(performance.now() - started).toBeLessThan(times.silentMs);
  await lease.release(true);
});

it("a run that stopped early tells the next one", async () => {
  const target = await open();
  const first = await takeLease(target, options);
  expect(first.afterUnfinished).toBe(false);
  // It has written nothing.
  await first.release(false);
  expect(bucket.objects.size).toBe(0);
  const writing = await takeLease(target, options);
  writing.beginWriting();
  await writing.release(false);
  const second = await takeLease(target, options);
  expect(second.afterUnfinished).toBe(true);
  await second.release(true);
  const third = await takeLease(target, options);
  expect(third.afterUnfinished).toBe(false);
  await third.release(true);
});

it("a run hears that another one has taken over, and leaves the lease to it", async () => {
  const target = await open();
  let lost: Error | undefined;
  const lease = await takeLease(target, {
    ...options,
    onLost: (error) => {
      lost = error;
    },
  });
  writeOther(elsewhere());
  await expect(lease.ensure()).rejects.toMatchObject(locked);
  await expect.poll(() => lost).toMatchObject(locked);
  await lease.release(true);
  expect(text().run).toBe("of-another");
});

it("tells nobody the name of the machine", async () => {
  const target = await open();
  const lease = await takeLease(target, options);
  const { hostname } = await import("node:os");
  expect(text().holder.host).not.toContain(hostname());
  await lease.release(true);
});
