/** A positive number as requests may write it: "640", "049.5". */
export const positiveNumber = "(?:0*[1-9][0-9]*(?:\\.[0-9]{1,4})?|0+\\.[0-9]{0,3}[1-9][0-9]{0,3})";

const fraction = "(?:\\.[0-9]{1,4})?";

/**
 * Regular expression of the numbers up to a given one, as requests may write them.
 *
 * atMost(50) fits "50", "50.0", "9.75" and not "50.5"
 */
export function atMost(number: number): string {
  const whole = Math.floor(number);
  const [, decimals = ""] = String(number).split(".");
  const own = decimals === "" ? "(?:\\.0{1,4})?" : fractionUpTo(decimals);
  const below = belowWhole(whole);
  const parts = [...(below === "" ? [] : [`(?:${below})${fraction}`]), `${whole}${own}`];
  return `0*(?:${parts.join("|")})`;
}

/**
 * Regular expression of the numbers that are rounded to a whole one.
 *
 * roundedTo(600) fits "600", "600.49", "599.5"
 */
export function roundedTo(whole: number): string {
  const down = `${whole}(?:\\.[0-4][0-9]{0,3})?`;
  return `0*(?:${down}|${whole - 1}\\.[5-9][0-9]{0,3})`;
}

/** Digits of the whole numbers below one, without leading zeros; "" where there is none. */
function belowWhole(whole: number): string {
  const digits = String(whole);
  const parts: string[] = [];
  if (digits.length > 1) parts.push(`[0-9]{1,${digits.length - 1}}`);
  for (const [at, digit] of [...digits].entries()) {
    const least = at === 0 && digits.length > 1 ? 1 : 0;
    const most = Number(digit) - 1;
    if (most < least) continue;
    const rest = digits.length - at - 1;
    parts.push(`${digits.slice(0, at)}[${least}-${most}]${rest === 0 ? "" : `[0-9]{${rest}}`}`);
  }
  return parts.join("|");
}

/** Decimals up to the given ones, which have no zeros at their end. */
function fractionUpTo(decimals: string): string {
  const parts = [`${decimals}0{0,${4 - Math.min(4, decimals.length)}}`];
  for (const [at, digit] of [...decimals].entries()) {
    if (digit === "0") continue;
    parts.push(`${decimals.slice(0, at)}[0-${Number(digit) - 1}][0-9]{0,${3 - Math.min(3, at)}}`);
    if (at > 0) parts.push(decimals.slice(0, at));
  }
  return `(?:\\.(?:${parts.join("|")}))?`;
}
