/** Tells answers that seem to belong to another request, as after a connection that got out of step. */
export interface Belonging {
  /**
   * What an answer to a page of a list says that speaks against its being one; undefined where nothing does, or
   * where this origin's answers are known to say so always.
   *
   * @param page its number, from 1
   */
  mismatchOf(url: string, page: number, envelope: unknown): string | undefined;
  /** A page whose answer did not seem to belong was asked for again, and said the same of itself as before. */
  confirmed(url: string, page: number, envelope: unknown): void;
}

interface Envelope {
  data?: unknown;
  meta?: { current_page?: unknown; last_page?: unknown; total?: unknown; path?: unknown } | null;
  links?: { first?: unknown } | null;
}

/** Pages that said of themselves twice what is not so, until it counts as this origin's habit. */
const habitAfter = 3;

type Sign = "page" | "end" | "path" | "total";

export function createBelonging(): Belonging {
  const times = new Map<Sign, number>();
  let totals = false;

  function* signsOf(url: string, page: number, value: unknown): Generator<[Sign, string]> {
    const { data, meta, links } = (value ?? {}) as Envelope;
    const current = meta?.current_page;
    if (typeof current === "number" && current !== page) yield ["page", `it is page ${current}`];
    const last = meta?.last_page;
    const isEmpty = Array.isArray(data) && data.length === 0;
    if (typeof last === "number" && last < page && !isEmpty) {
      yield ["end", `it is page ${page} of ${last}`];
    }
    const path = meta?.path ?? links?.first;
    if (typeof path === "string" && !endsAlike(url, path)) {
      yield ["path", `it is of ${pathOf(path, url)}`];
    }
    // Some origins write 0 where they do not count.
    if (typeof meta?.total === "number" && (meta.total > 0 || isEmpty)) totals = true;
    else if (totals) yield ["total", "it has no total, unlike other lists"];
  }

  return {
    mismatchOf(url, page, envelope) {
      for (const [sign, words] of signsOf(url, page, envelope)) {
        if ((times.get(sign) ?? 0) < habitAfter) return words;
      }
      return undefined;
    },
    confirmed(url, page, envelope) {
      for (const [sign] of signsOf(url, page, envelope)) {
        times.set(sign, (times.get(sign) ?? 0) + 1);
      }
    },
  };
}

/** Whether one of two paths is the end of the other one: behind a proxy, an origin knows less of its own address. */
function endsAlike(url: string, path: string): boolean {
  const asked = segmentsOf(pathOf(url, url));
  const told = segmentsOf(pathOf(path, url));
  const common = Math.min(asked.length, told.length);
  return common === 0 || asked.slice(-common).join("/") === told.slice(-common).join("/");
}

function pathOf(text: string, base: string): string {
  return URL.canParse(text, base) ? new URL(text, base).pathname : "";
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}
