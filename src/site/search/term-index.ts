import type { Fields } from "./documents.ts";
import type { SearchWords } from "./words.ts";

/*
 * An inverted index as text. A line is a term, a space and its postings, in the order of the terms' UTF-16 codes. A posting
 * is the distance to the item before, less one, in base 36 and lower case, and a capital letter for its weight.
 * `templates/assets/search-index.js` reads it.
 *
 * "harbour 2BC" → in item 2 with weight B, in item 3 with weight C
 */

/** Weights grow by this factor from letter to letter; "A" is the least. */
const weightStep = 1.2;
const leastWeight = 0.1;
const letters = 26;

/** The weight of a word in a field where it stands once, in a field of usual length. A title's is above all others'. */
const fieldWeights = { title: 4, subjects: 2, text: 1.6, body: 0.6 };
type Field = keyof Fields;
const fields = Object.keys(fieldWeights) as Field[];
/** Words of such a field. Constants, not averages: one more article leaves the weights of all others as they are. */
const usualLength = { title: 4, subjects: 8, text: 30, body: 500 };

/** Takes items in the order of their numbers, one at a time, and holds a number for each word of each. */
export class TermIndex {
  readonly #words: SearchWords["words"];
  /** By term, each an item and a weight: `item * letters + weight`. */
  readonly #postings = new Map<string, number[]>();
  #items = 0;

  constructor({ words }: SearchWords) {
    this.#words = words;
  }

  add(document: Fields): void {
    const item = this.#items++;
    const weights = new Map<string, number>();
    for (const field of fields) this.#weigh(field, document[field], weights);
    for (const [term, weight] of weights) {
      const posting = item * letters + letterOf(weight);
      const known = this.#postings.get(term);
      if (known !== undefined) known.push(posting);
      // A word that is cut out of a long text would keep all of that text in memory.
      else this.#postings.set(Buffer.from(term).toString(), [posting]);
    }
  }

  #weigh(field: Field, text: string, weights: Map<string, number>): void {
    if (text === "") return;
    const words = this.#words(text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const length = 0.5 + words.length / (2 * usualLength[field]);
    for (const [word, count] of counts) {
      // As in BM25: the tenth time tells less than the second.
      const weight = (fieldWeights[field] * 2 * count) / (count + length);
      weights.set(word, (weights.get(word) ?? 0) + weight);
    }
  }

  /** The lines in the order of their terms, with the number of items of each. */
  lines(): { term: string; items: number; line: string }[] {
    const terms = [...this.#postings].sort(([a], [b]) => (a < b ? -1 : 1));
    return terms.map(([term, postings]) => {
      return { term, items: postings.length, line: `${term} ${encoded(postings)}` };
    });
  }
}

function encoded(postings: readonly number[]): string {
  let before = -1;
  const pieces = postings.map((posting) => {
    const item = Math.floor(posting / letters);
    const distance = item - before - 1;
    before = item;
    return (distance === 0 ? "" : distance.toString(36)) + capital(posting % letters);
  });
  return pieces.join("");
}

/** capital(0) → "A" */
export const capital = (number: number): string =>
  String.fromCharCode(65 + Math.min(letters - 1, number));

function letterOf(weight: number): number {
  const steps = Math.round(Math.log(weight / leastWeight) / Math.log(weightStep));
  return Math.min(letters - 1, Math.max(0, steps));
}
