import { describe, expect, it } from "vitest";
import { createUnsigner } from "../../src/api/signatures.ts";
import { GuardError } from "../../src/errors.ts";
import { createLeakGuard } from "../../src/publish/leaks.ts";

const token = `s3cret/"tok+en"&<'7f1c0e5d9a`;
const unshown = "11111111-0000-4000-8000-000000000008";
const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const signature = "9f86d081884c7d659a2feaa0c55ad015";
const unsigner = createUnsigner({ baseUrl: "https://o.test/api", allowHosts: [] });
unsigner.learn({
  links: { web: `https://o.test/1.jpg?expires=1700000000&signature=${signature}` },
});
const guard = createLeakGuard(
  {
    tokens: [token],
    ids: new Set([unshown, ulid, "17", "1234567890123456"]),
    isUnshownBlob: (digest) => digest === "unshown",
  },
  unsigner,
);

/** What the guard says of a text; undefined where it lets it through. */
function said(text: string, path = "a.html"): string | undefined {
  try {
    guard.checkText(path, text);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(GuardError);
    return (error as Error).message;
  }
}

describe("a rendered file", () => {
  it.each([
    ["as it is", `x${token}y`],
    ["in JSON", JSON.stringify({ title: `x ${token}` })],
    ["in JSON with escaped slashes", JSON.stringify(token).replaceAll("/", "\\/")],
    ["in a URL", `?q=${encodeURIComponent(token)}`],
    ["in a URL, lower case", encodeURIComponent(token).replace(/%../g, (c) => c.toLowerCase())],
    ["in HTML text", token.replace(/&/g, "&amp;").replace(/</g, "&lt;")],
    [
      "in an attribute",
      token
        .replace(/&/g, "&amp;")
        .replace(/</g, "&lt;")
        .replace(/"/g, "&quot;")
        .replace(/'/g, "&#39;"),
    ],
    ["in base64", Buffer.from(token).toString("base64")],
    ["in base64, one byte in", Buffer.from(`1${token}2`).toString("base64")],
    ["in base64url, two bytes in", Buffer.from(`{"${token}"}`).toString("base64url")],
  ])("is refused with the token %s", (_, text) => {
    const message = said(text);
    expect(message).toBe("a.html would contain the access token");
    expect(said(Buffer.from(text).toString("latin1"))).toBe(message);
  });

  it.each([
    ["https://o.test/1.jpg?expires=1700000000&signature=abcdef0123456789"],
    ['<img src="/1.jpg?expires=1700000000&amp;signature=0123456789abcdef">'],
    ["?u=https%3A%2F%2Fo.test%2F%3Fsignature%3Dab"],
    [`a signature of this run: ${signature}`],
    [`?u=%253Fsignature%253D${signature}`],
  ])("is refused with a signed link: %s", (text) => {
    expect(said(text)).toBe("a.html would contain a signed link");
  });

  it.each([
    ["by itself", unshown],
    ["in capitals", unshown.toUpperCase()],
    ["within a word", `id="image-${unshown}_2"`],
    ["of another form", `/${ulid}.jpg`],
  ])("is refused with the id of an image that is not shown %s", (_, text) => {
    expect(said(text)).toBe("a.html would contain the id of something that is not published");
  });

  it("is refused for such an id in its path", () => {
    expect(said("", `images/${unshown}.html`)).toContain("the id of something");
    expect(() => guard.checkBlob(`images/${unshown}.jpg`, "any")).toThrow(GuardError);
  });

  it.each([
    ["The offer expires on Monday, the signature follows."],
    ["It expires=soon; signature = none"],
    ["https://shop.example/offer?expires=never&id=3, 1px;expires=Thu, f(x,&signature=y)"],
    [signature.slice(1)],
    ["17 images, 1234567890123456 of them"],
    [`${ulid}X`],
    ["11111111-0000-4000-8000-000000000009"],
    [token.slice(0, -1)],
    [""],
  ])("passes with %s", (text) => {
    expect(said(text)).toBeUndefined();
  });

  it.each([
    ["the token's end", token.slice(1)],
    ["its beginning in base64", Buffer.from(token).toString("base64").slice(0, -4)],
    ["an id's beginning", unshown.slice(0, -1)],
    ["a signature's beginning", signature.slice(0, -1)],
    ["a signed parameter, escaped", "expires%26amp%3b"],
    ["slashes of a URL, escaped", "images%252525&amp;amp;"],
  ])(
    "is looked through in time in proportion to its length, also with many times %s",
    (_, part) => {
      // If time grew with the square, this would take hours.
      const text = `${part} `.repeat(10_000_000 / part.length);
      expect(said(text)).toBeUndefined();
    },
  );

  it("is looked through as bytes, too", () => {
    expect(() => guard.checkText("a.bin", Buffer.from(`é${token}`))).toThrow(GuardError);
    expect(() => guard.checkText("a.bin", Buffer.from([0, 255, 1]))).not.toThrow();
  });
});

describe("a blob", () => {
  it("is refused where it belongs to an image that is not shown alone", () => {
    expect(() => guard.checkBlob("images/1.jpg", "unshown")).toThrow(
      "images/1.jpg would be a file of something that is not published",
    );
    expect(() => guard.checkBlob("images/1.jpg", "other")).not.toThrow();
  });
});

describe("a token that could be any word", () => {
  it("is not looked for", () => {
    const guard = createLeakGuard({
      tokens: ["", "user"],
      ids: new Set(),
      isUnshownBlob: () => false,
    });
    expect(() => guard.checkText("a.html", "a user")).not.toThrow();
  });
});

it("takes the escape of a line break for no letter of the token", () => {
  const guard = createLeakGuard({
    tokens: ["new-secret"],
    ids: new Set(),
    isUnshownBlob: () => false,
  });
  expect(() => guard.checkText("a.json", '{"a":"\\new-secret"}')).not.toThrow();
  expect(() => guard.checkText("a.json", '{"a":"\\\\new-secret"}')).toThrow(GuardError);
  expect(() => guard.checkText("a.json", '{"new-secret":1}')).toThrow(GuardError);
  expect(() => guard.checkText("a.json", '{"new-secret":1,}')).toThrow(GuardError);
});

describe("what is refused", () => {
  const list = (item: object): string =>
    JSON.stringify({
      data: [
        { id: "1", title: "One" },
        { id: "2", title: "Two", ...item },
      ],
    });

  it.each<[string, string, string, string]>([
    [
      "an item of a list",
      "api/v1/articles/index.json",
      list({ body: token }),
      '\\"title\\":\\"Two\\",\\"body\\":\\"',
    ],
    [
      "an item whose title is signed",
      "api/v1/galleries/index.json",
      list({ title: "//o.test/1.jpg?signature=ab" }),
      "//o.test/1.jpg",
    ],
    [
      "an item with an image that is not shown",
      "api/v1/articles/index.json",
      list({ caption: unshown, title: unshown }),
      '\\"id\\":\\"2\\",\\"title\\":\\"',
    ],
    ["a text behind another secret", "articles/a.html", `<p>${unshown} ${token}`, "<p>00000000-"],
    ["an item's page", "articles/news-of-may.html", `<p>${token}`, "articles/news-of-may.html"],
  ])("is named: %s", (_, path, text, where) => {
    let error: unknown;
    try {
      guard.checkText(path, text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(GuardError);
    const { message, hint } = error as GuardError;
    expect(`${message} ${hint}`).toContain(where);
    for (const secret of [token, unshown, "signature="])
      expect(message + hint).not.toContain(secret);
    expect(hint).toMatch(/^nothing was published; /);
  });
});
