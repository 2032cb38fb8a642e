import { yearMonthIn } from "../lib/calendar.ts";

/** Dates, numbers and sizes as the readers of one site expect them. */
export interface Formats {
  readonly language: string;
  /** Direction of the site's own words. */
  readonly direction: "ltr" | "rtl";
  /** formats.date("2024-05-02T09:00:00.000Z") → "2 May 2024", in the origin's time zone */
  date(iso: string): string;
  dateTime(iso: string): string;
  /** formats.month("2024", "05") → "May 2024" */
  month(year: string, month: string): string;
  /** formats.monthName("05") → "May" */
  monthName(month: string): string;
  number(value: number): string;
  /** formats.bytes(1_234_567) → "1.2 MB" */
  bytes(value: number): string;
  /** formats.plural(2, "article", "articles") → "2 articles" */
  plural(count: number, one: string, many: string): string;
  /** Year and month of a time in the origin's time zone, such as ["2024", "05"]. */
  yearMonth(iso: string): [year: string, month: string];
  compare(a: string, b: string): number;
}

const steps = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/**
 * @param language BCP 47 tag; an unknown one falls back to English
 * @param timeZone IANA name
 */
export function createFormats(language: string, timeZone: string): Formats {
  const locale = Intl.DateTimeFormat.supportedLocalesOf([tagOf(language)])[0] ?? "en-GB";
  // Plain "en" would write the month first, which readers outside one country stumble over.
  const style = locale === "en" ? "en-GB" : locale;
  const day = new Intl.DateTimeFormat(style, { dateStyle: "long", timeZone });
  const moment = new Intl.DateTimeFormat(style, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone,
  });
  const yearMonth = yearMonthIn(timeZone);
  const ofYear = new Intl.DateTimeFormat(style, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const ofMonth = new Intl.DateTimeFormat(style, { month: "long", timeZone: "UTC" });
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
  const collator = new Intl.Collator(style, { sensitivity: "base", numeric: true });

  return {
    language: locale,
    direction: directionOf(locale),
    date: (iso) => day.format(new Date(iso)),
    dateTime: (iso) => moment.format(new Date(iso)),
    month: (year, month) => ofYear.format(new Date(`${year}-${month}-15T00:00:00Z`)),
    monthName: (month) => ofMonth.format(new Date(`2023-${month}-15T00:00:00Z`)),
    number: (value) => plain.format(value),
    bytes(value) {
      let step = 0;
      let rest = value;
      while (rest >= 999.5 && step < steps.length - 1) {
        rest /= 1000;
        step++;
      }
      return (sizes[step] as Intl.NumberFormat).format(rest);
    },
    plural: (count, one, many) => `${plain.format(count)} ${count === 1 ? one : many}`,
    yearMonth(iso) {
      const [year, month] = yearMonth(iso);
      return [String(year).padStart(4, "0"), String(month).padStart(2, "0")];
    },
    compare: (a, b) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0),
  };
}

function tagOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? "en";
  } catch {
    return "en";
  }
}

function directionOf(locale: string): "ltr" | "rtl" {
  const { language, script } = new Intl.Locale(locale).maximize();
  const rightToLeft = /^(?:Arab|Hebr|Syrc|Thaa|Nkoo|Adlm|Rohg)$/.test(script ?? "");
  return rightToLeft || language === "ar" ? "rtl" : "ltr";
}
