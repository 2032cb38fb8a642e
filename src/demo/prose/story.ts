import { dice } from "../../lib/random.ts";
import { magazine } from "../magazine.ts";

const { subjects, persons, places, seasons, strayTags } = magazine;

export type Story = ReturnType<typeof storyAt>;

/** Later stories that would repeat a title carry a number ("…, part 2"). */
export function storyAt(index: number, seed: number) {
  const subjectAt = (index * 3 + seed) % subjects.length;
  const subject = elementAt(subjects, subjectAt);
  const turn = Math.floor(index / subjects.length);
  const titleAt = turn % subject.titles.length;
  const placeTurn = Math.floor(turn / subject.titles.length);
  const round = Math.floor(placeTurn / places.length);
  const throws = dice(seed, index, 11);
  const words: Record<string, string> = {
    place: elementAt(places, placeTurn + subjectAt * 7 + titleAt * 5),
    person: throws.pick(persons),
    season: throws.pick(seasons),
    years: String(4 + throws.roll(28)),
    number: String(23 + throws.roll(340)),
  };
  const fill = (text: string): string =>
    text.replace(/\{([a-z]+)\}/g, (slot, name: string) => words[name] ?? slot);
  const part = round === 0 ? "" : `, part ${round + 1}`;
  const title = fill(elementAt(subject.titles, titleAt)) + part;
  const synopsis = fill(throws.pick(subject.synopses));
  const tags = throws.some(subject.tags, 1 + throws.roll(subject.tags.length));
  if (throws.chance(12)) tags.push(throws.pick(strayTags));
  const isTagged = !throws.chance(4);
  return { subject, title, slug: slugOf(title), synopsis, tags: isTagged ? tags : [], fill };
}

/** Letters of every script are kept. */
export function slugOf(title: string): string {
  const plain = title.normalize("NFC").toLowerCase().replace(/[’']/g, "");
  return plain
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 90);
}

function elementAt<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}
