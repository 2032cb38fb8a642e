import fc from "fast-check";

const each = (text: string, write: (code: number) => string): string =>
  text.replace(/[^\w.-]/g, (sign) => write(sign.charCodeAt(0)));

/** A token in the ways in which an origin can repeat it. */
export function spelled(token: string): Record<string, string> {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return {
    plainly: token,
    "percent-encoded": encodeURIComponent(token),
    "percent-encoded in lower case": encodeURIComponent(token).replace(/%../g, (code) =>
      code.toLowerCase(),
    ),
    "percent-encoded twice": encodeURIComponent(encodeURIComponent(token)),
    "with decimal entities": each(token, (code) => `&#${code};`),
    "with hexadecimal entities": each(token, (code) => `&#x${code.toString(16)};`),
    "with entities in upper case": each(token, (code) => `&#x${code.toString(16).toUpperCase()};`),
    "as JSON has it": token.replaceAll("/", "\\/"),
    "in base64": base64(token),
    "in base64, as credentials": base64(`user:${token}`),
    "in base64, as a header": base64(`Bearer ${token}`),
    "in base64, between others": base64(`ab${token}c`),
    "in base64url": Buffer.from(`Bearer ${token}`).toString("base64url"),
    "in hexadecimal": Buffer.from(token).toString("hex"),
    "in hexadecimal, upper case": Buffer.from(token).toString("hex").toUpperCase(),
  };
}

/** Tokens as services hand them out: of the characters of RFC 6750, and with the `|` of some. */
export const tokens: fc.Arbitrary<string> = fc
  .string({
    unit: fc.constantFrom(..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-._~+/=|"),
    minLength: 8,
    maxLength: 40,
  })
  .filter((token) => /[A-Za-z].*[G-Zg-z]/.test(token) && !/^(.)\1+$/.test(token));
