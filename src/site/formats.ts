import { cached } from "../lib/cached.ts";
import { dayIn, yearMonthIn } from "../lib/calendar.ts";
import { baseOf, createWording } from "./wording.ts";
import { scriptsFromRight } from "./written.ts";

export type Formats = ReturnType<typeof createFormats>;

const steps = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/**
 * @param language well-formed BCP 47 tag; an unknown one falls back to English
 * @param timeZone IANA name
 * @param ownWords contents of the site's files of words, by their paths
 * @throws ConfigError where one of these is not as it should be
 */
export function createFormats(
  language: string,
  timeZone: string,
  ownWords?: ReadonlyMap<string, string>,
) {
  const locale = Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? "en-GB";
  // Plain "en" would write the month first.
  const style = locale === "en" ? "en-GB" : locale;
  const { language: base, region, script = "" } = new Intl.Locale(locale).maximize();
  const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(style, options);
  const day = dates({ dateStyle: "long", timeZone });
  const moment = dates({ dateStyle: "long", timeStyle: "short", timeZone });
  const ofYear = dates({ month: "long", year: "numeric", timeZone: "UTC" });
  const ofMonth = dates({ month: "long", timeZone: "UTC" });
  const yearMonth = yearMonthIn(timeZone);
  const plain = new Intl.NumberFormat(style);
  const sizes = steps.map(
    (unit, step) =>
      new Intl.NumberFormat(style, {
        style: "unit",
        unit,
        unitDisplay: step === 0 ? "long" : "short",
        maximumFractionDigits: step > 1 ? 1 : 0,
      }),
  );
  const wording = createWording(style, ownWords);
  const people = new Intl.ListFormat(style, { type: "conjunction" });
  const parts = new Intl.ListFormat(style, { type: "unit", style: "short" });
  const collator = new Intl.Collator(style, { sensitivity: "base", numeric: true });

  return {
    language: locale,
    /** As Open Graph writes it, such as "de_AT". */
    region: region === undefined ? base : `${base}_${region}`,
    /** Tag to write dates with. */
    dateLanguage: style,
    /** isoDay("2024-05-02T09:00:00.000Z") → "2024-05-02" */
    isoDay: dayIn(timeZone),
    /** Of the site's own words. */
    direction: scriptsFromRight.includes(script) ? ("rtl" as const) : ("ltr" as const),
    /** date("2024-05-02T09:00:00.000Z") → "2 May 2024" */
    date: cached(256, (iso) => day.format(new Date(iso))),
    dateTime: (iso: string) => moment.format(new Date(iso)),
    /** month("2024", "05") → "May 2024" */
    month: (year: string, month: string) =>
      ofYear.format(new Date(`${year}-${month}-15T00:00:00Z`)),
    /** monthName("05") → "May" */
    monthName: (month: string) => ofMonth.format(new Date(`2023-${month}-15T00:00:00Z`)),
    number: (value: number) => plain.format(value),
    /** bytes(1_234_567) → "1.2 MB" */
    bytes(value: number): string {
      let step = 0;
      let rest = value;
      while (rest >= 999.5 && step < steps.length - 1) {
        rest /= 1000;
        step++;
      }
      return (sizes[step] as Intl.NumberFormat).format(rest);
    },
    /** duration(151) → "2:31" */
    duration(seconds: number): string {
      const whole = Math.round(seconds);
      const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
      const [first, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
      return [first, ...rest.map((part) => String(part).padStart(2, "0"))].join(":");
    },
    ...wording,
    /** Attribute for what is in another language than the site: lang("ja") → ' lang="ja"'; empty for what is not. */
    lang: (tag: string) => (tag === "" || baseOf(tag) === baseOf(locale) ? "" : ` lang="${tag}"`),
    /** Such as ["2024", "05"]. */
    yearMonth(iso: string): [year: string, month: string] {
      const [year, month] = yearMonth(iso);
      return [String(year).padStart(4, "0"), String(month).padStart(2, "0")];
    },
    /** names(["A", "B"]) → "A and B" */
    names: (names: readonly string[]) => people.format(names),
    /** parts(["A", "B"]) → "A, B" */
    parts: (texts: readonly string[]) => parts.format(texts),
    compare: (a: string, b: string) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0),
  };
}

/** For people who read English: bytesText(1_500_000) → "1.5 MB" */
export const { bytes: bytesText } = createFormats("en", "UTC");
