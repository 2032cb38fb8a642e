import { readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Press, startPress, stillpress } from "../support/archive.ts";

let press: Press;
beforeAll(async () => {
  press = await startPress({ size: { articles: 6, galleries: 1, images: 8 }, pressed: true });
  const [first] = press.origin.content.articles;
  press.origin.content.articles.edit(first?.id as string, { title: "Another title" });
  expect((await press.run("snapshot")).code).toBe(0);
});
afterAll(() => press.close());

const shown = (): string => readlinkSync(join(press.out, "public")).split("/").at(-2) as string;

describe("stillpress rollback", () => {
  it("lists the builds, goes back, and is followed by the present content again", async () => {
    const { builds } = JSON.parse((await press.run("rollback", "--list")).stdout);
    const [present, former] = builds.map((build: { name: string }) => build.name);
    const back = await press.run("rollback", "--full");
    expect([back.code, JSON.parse(back.stdout)]).toEqual([
      0,
      { exitCode: 0, from: present, to: former },
    ]);
    expect(shown()).toBe(former);
    expect((await press.run("verify", "--full")).code).toBe(0);
    expect((await press.run("build")).report).toMatchObject({ exitCode: 0, published: true });
    expect(shown()).not.toBe(former);
  });

  it("ends with 2 for a build that is not there, and with 6 while another run goes on", async () => {
    expect((await press.run("rollback", "nothing")).code).toBe(2);
    const lock = join(press.out, "lock.json");
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: "elsewhere.test" }));
    expect((await press.run("rollback")).code).toBe(6);
    rmSync(lock);
  });

  it("refuses a damaged build with 5, and needs no configuration", async () => {
    const before = shown();
    const { builds } = JSON.parse((await press.run("rollback", "--list")).stdout);
    const former = builds.find((build: { state: string }) => build.state === "kept").name;
    rmSync(join(press.out, "builds", former, "public", "index.html"));
    const { code, stderr } = await stillpress(["rollback", "--out", press.out]);
    expect(code).toBe(5);
    expect(stderr).toContain("public/index.html is missing");
    expect(shown()).toBe(before);
  });
});
