// An author who gives his article tags of hundreds or thousands of characters, or very many tags, so that the web
// server of the archive does not start, or answers 500 to everybody.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HostInput } from "../../../src/hosts/host.ts";
import { hostConfigurations } from "../../../src/hosts/hosts.ts";
import { encodeSegment } from "../../../src/routes/segments.ts";
import { type Archive, handmade } from "../../hosts/expected.ts";
import { startHost } from "../../hosts/servers.ts";
import { ask, describeHost, type ServerName, serverNames } from "../../support/web-servers.ts";

const tooLong = /^(\d+) names and paths of links are too long for a rule/;
/** Of characters with a meaning in a configuration, in a pattern, or in both. */
const units = ["A", "é", "灯", "😀", '"', "'", "`", "$", "{", "}", "#", ";", "\n", "\0", "\\"];
units.push("%", "%{HTTP_HOST}", ".", "*", "(", "[a-", " ", "?", "|", "^", "&", "<", "=", "~");
const lengths = [200, 290, 450, 1_000, 4_100, 8_200, 40_000];

function withTags(input: HostInput, tags: readonly string[]): HostInput {
  const added = tags.map((value) => ({ value, segment: encodeSegment(value), isFilter: true }));
  return { ...input, names: [...input.names, ...added] };
}

let archive: Archive;
const base = (): string => `/${archive.input.rules.root}`;
beforeAll(() => {
  archive = handmade();
});
afterAll(() => archive.remove());

/** The list of a tag, as a request finds it. */
function listTag(tag: string): string {
  const segment = encodeSegment(tag);
  const path = join(archive.publicRoot, base(), "articles/by/tags", segment, "index.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ segment }));
  return `${base()}/articles?tags=${encodeURIComponent(tag)}`;
}

/** The status of an answer that has nothing to do with hostile names. @throws Error where the server does not start */
async function usualStatus(host: ServerName, input: HostInput): Promise<number> {
  const server = await startHost(host, { ...archive, input });
  const { status } = await ask(server.url, `${base()}/articles?category=news`);
  await server.close();
  return status;
}

for (const host of serverNames) {
  describeHost(host, "names of hostile length and number", () => {
    it("starts with long names of every kind, and tells what it leaves out", async () => {
      const tags = units.flatMap((unit) =>
        lengths.map((length) => unit.repeat(length / unit.length + 1).slice(0, length)),
      );
      const input = withTags(archive.input, tags);
      expect(await usualStatus(host, input)).toBe(200);
      const { limits } = hostConfigurations[host](input);
      expect(limits.filter((limit) => tooLong.test(limit))).toHaveLength(1);
    });

    it("answers with names that are not as long", async () => {
      // Apache's rules have place for fewer.
      const size = host === "apache" ? 16 : units.length;
      for (let from = 0; from < units.length; from += size) {
        const tags = units.slice(from, from + size).map((unit) => unit.repeat(88 / unit.length));
        const targets = tags.map((tag) => [tag, listTag(tag)] as const);
        const server = await startHost(host, { ...archive, input: withTags(archive.input, tags) });
        const wrong: string[] = [];
        for (const [tag, target] of targets) {
          const { status, body } = await ask(server.url, target);
          const { segment } = status === 200 ? JSON.parse(String(body)) : {};
          if (segment !== encodeSegment(tag)) wrong.push(`${status} for ${tag}`);
        }
        await server.close();
        expect(wrong).toEqual([]);
      }
    });

    it("starts with a path of a link that is as long", async () => {
      const paths = ["é", "$", '"', "A"].map((unit) => `/f/${unit.repeat(5_000)}`);
      const files = paths.map((path) => ({ path, written: path, folder: "/f/_", ending: ".mp4" }));
      const { linked } = archive.input;
      const input = { ...archive.input, linked: { ...linked, files: [...linked.files, ...files] } };
      expect(await usualStatus(host, input)).toBe(200);
      const { limits } = hostConfigurations[host](input);
      expect(limits.find((limit) => tooLong.test(limit))).toMatch(/^4 /);
    });

    it.each([
      ["tags", "Tag "],
      ["ids that are not their own segment", "0A1B2C3D-0000-4000-8000-"],
    ])("starts with 100,000 %s, which it is not told of", async (_, prefix) => {
      const tags = Array.from(
        { length: 100_000 },
        (_, at) => prefix + String(at).padStart(12, "0"),
      );
      const input = withTags(archive.input, tags);
      expect(await usualStatus(host, input)).toBe(200);
      const { limits } = hostConfigurations[host](input);
      expect(limits.join("\n")).toContain("would need rules for 100,0");
    });
  });
}
