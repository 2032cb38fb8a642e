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

/** Grows by half when it is full. */
class Column<T extends Uint32Array | Uint8Array> {
  #values: T;
  length = 0;

  constructor(empty: T) {
    this.#values = empty;
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const Values = this.#values.constructor as new (length: number) => T;
      const grown = new Values(Math.ceil(this.length * 1.5) + 1024);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(place: number): number {
    return this.#values[place] as number;
  }
}

/** Takes items in the order of their numbers, one at a time, and holds 5 bytes for each word of each. */
export class TermIndex {
  readonly #words: SearchWords["words"];
  readonly #numbers = new Map<string, number>();
  readonly #terms = new Column(new Uint32Array());
  readonly #weights = new Column(new Uint8Array());
  /** Where the postings of each item begin. */
  readonly #begins = new Column(new Uint32Array());

  constructor({ words }: SearchWords) {
    this.#words = words;
  }

  add(document: Fields): void {
    this.#begins.push(this.#terms.length);
    const weights = new Map<string, number>();
    for (const field of fields) this.#weigh(field, document[field], weights);
    for (const [term, weight] of weights) {
      let number = this.#numbers.get(term);
      if (number === undefined) {
        number = this.#numbers.size;
        // A word that is cut out of a long text would keep all of that text in memory.
        this.#numbers.set(Buffer.from(term).toString(), number);
      }
      this.#terms.push(number);
      this.#weights.push(letterOf(weight));
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
    const postingsOf = this.#byTerm();
    const terms = [...this.#numbers].sort(([a], [b]) => (a < b ? -1 : 1));
    return terms.map(([term, number]) => {
      const { items, text } = postingsOf(number);
      return { term, items, line: `${term} ${text}` };
    });
  }

  /** A counting sort: the words were put down item by item. */
  #byTerm(): (number: number) => { items: number; text: string } {
    const total = this.#terms.length;
    const ends = new Uint32Array(this.#numbers.size + 1);
    for (let at = 0; at < total; at++) (ends[this.#terms.at(at) + 1] as number)++;
    for (let n = 1; n < ends.length; n++) (ends[n] as number) += ends[n - 1] as number;
    const places = ends.slice();
    const items = new Uint32Array(total);
    const weights = new Uint8Array(total);
    let item = -1;
    for (let at = 0; at < total; at++) {
      while (item + 1 < this.#begins.length && this.#begins.at(item + 1) <= at) item++;
      const place = (places[this.#terms.at(at)] as number)++;
      items[place] = item;
      weights[place] = this.#weights.at(at);
    }
    return (number) => {
      const [from = 0, to = 0] = [ends[number], ends[number + 1]];
      return {
        items: to - from,
        text: encoded(items.subarray(from, to), weights.subarray(from, to)),
      };
    };
  }
}

/** Written as bytes: text that grows by single characters takes many times its memory. */
function encoded(items: Uint32Array, weights: Uint8Array): string {
  const longest = 8;
  const bytes = Buffer.allocUnsafe(items.length * longest);
  let [end, before] = [0, -1];
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as number;
    const distance = item - before - 1;
    if (distance > 0) end += bytes.write(distance.toString(36), end, "latin1");
    bytes[end++] = capitalA + (weights[at] as number);
    before = item;
  }
  return bytes.toString("latin1", 0, end);
}

const capitalA = 65;

/** capital(0) → "A" */
export const capital = (number: number): string =>
  String.fromCharCode(capitalA + Math.min(letters - 1, number));

function letterOf(weight: number): number {
  const steps = Math.round(Math.log(weight / leastWeight) / Math.log(weightStep));
  return Math.min(letters - 1, Math.max(0, steps));
}
