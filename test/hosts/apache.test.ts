import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apacheConfiguration } from "../../src/hosts/apache.ts";
import type { HostInput } from "../../src/hosts/host.ts";
import { encodeSegment } from "../../src/routes/segments.ts";
import { type Archive, handmade } from "./expected.ts";

describe("the file .htaccess, which Apache reads at every request", () => {
  let archive: Archive;
  beforeAll(() => {
    archive = handmade();
  });
  afterAll(() => archive.remove());

  /** The archive with more ids, each with a video and an original of a rare kind. */
  function withIds(ids: readonly string[]): HostInput {
    const { input } = archive;
    const segments = ids.map((value) => ({ value, segment: encodeSegment(value) }));
    const files = segments.map(({ value, segment }) => ({
      path: `/films/${value}/download`,
      written: `/films/${encodeURIComponent(value)}/download`,
      folder: `/films/${segment}/download`,
      ending: ".mp4",
    }));
    return {
      ...input,
      names: [...input.names, ...segments],
      linked: { ...input.linked, files: [...input.linked.files, ...files] },
    };
  }

  const made = (input: HostInput): string => apacheConfiguration(input).files[0]?.content ?? "";

  it("does not grow with UUIDs in upper case, where they are whole segments", () => {
    const { rules } = archive.input;
    const whole = /^[^{]*(?:\{id\}(?:\/[^{]*|\.json)?)?$/;
    const endpoints = rules.endpoints.filter(({ place }) => whole.test(place));
    const ofWhole = (input: HostInput): string =>
      made({ ...input, rules: { ...rules, endpoints } });
    const ids = Array.from({ length: 20_000 }, (_, at) => {
      return `0A1B2C3D-0000-4000-8000-${String(at).padStart(12, "0")}`;
    });
    expect(ofWhole(withIds(ids)) === ofWhole(archive.input)).toBe(true);
    expect(made(archive.input).length).toBeLessThan(100_000);
  });

  it("leaves ids out where listing them would make it large, and says so", () => {
    const few = apacheConfiguration(withIds(["urn:1", "urn:2"]));
    expect(few.files[0]?.content).toContain("urn:2");
    const ids = Array.from({ length: 20_000 }, (_, at) => `urn:${at}`);
    const { files, limits } = apacheConfiguration(withIds(ids));
    const content = files[0]?.content ?? "";
    expect(content.length).toBeLessThan(256 * 1024);
    expect(content).not.toContain("urn:2");
    // Categories and tags stay.
    expect(content).toContain('"=con"');
    expect(limits.at(-1)).toMatch(/^ids and paths .* would need [\d,]+ characters .* with 404$/);
  });

  it("leaves categories and tags out as well where these alone would make it large", () => {
    const names = Array.from({ length: 20_000 }, (_, at) => ({
      value: `tag:${at}`,
      segment: encodeSegment(`tag:${at}`),
      isFilter: true,
    }));
    const { files, limits } = apacheConfiguration({ ...archive.input, names });
    expect(files[0]?.content.length).toBeLessThan(256 * 1024);
    expect(files[0]?.content).not.toContain("tag:");
    expect(limits.at(-1)).toMatch(/^ids, categories, tags and paths .* answered with 404$/);
  });
});
