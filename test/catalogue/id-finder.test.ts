import { describe, expect, it } from "vitest";
import { createIdFinder } from "../../src/catalogue/id-finder.ts";

const uuid = "1f3c9a52-0b7e-4d11-9c5e-7a20b1d4e6f8";
const word = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const nobody = "00000000-0000-0000-0000-000000000000";

describe("ids that must not be named", () => {
  const finder = createIdFinder([
    uuid,
    word,
    "cat",
    "1234567890123456",
    "has a space in it",
    "a.b",
  ]);

  it.each([
    [uuid, nobody],
    [uuid.toUpperCase(), nobody],
    [`<figure id="image-${uuid}_2">`, `<figure id="image-${nobody}_2">`],
    [`{"${uuid}":"${word}"}`, `{"${nobody}":"${nobody}"}`],
    [`cdn/${word}.jpg`, `cdn/${nobody}.jpg`],
    [`${word}X`, `${word}X`],
    ["cat 1234567890123456 has a space in it", "cat 1234567890123456 has a space in it"],
    [uuid.replace("1f", "2f"), uuid.replace("1f", "2f")],
    ["http://cdn.test/f/images/cat.jpg?thumb=1", `http://cdn.test/f/images/${nobody}.jpg?thumb=1`],
    ["x%2Fimages%2Fcat%2Fdownload", `x%2Fimages%2F${nobody}%2Fdownload`],
    ["/view/images/a.b. images/a.b.jpg", `/view/images/${nobody}. images/${nobody}.jpg`],
    ["images/a.bc images/a images/b.a.b a.b", "images/a.bc images/a images/b.a.b a.b"],
    ["images/cats images/cat-2 images/index", "images/cats images/cat-2 images/index"],
  ])("%s → %s", (text, expected) => {
    expect(finder.withoutIds(text)).toBe(expected);
  });

  it.each(["a", "images", "images/", "/", "%2f"])("are found behind ten million of %s", (part) => {
    const text = `images${part.repeat(10_000_000 / part.length)} ${word} images/cat`;
    expect(finder.withoutIds(text).endsWith(` ${nobody} images/${nobody}`)).toBe(true);
  });

  it("are found in the order of the text, as they are written", () => {
    expect(finder.idsIn(`${word} ${uuid.toUpperCase()}`)).toEqual([word, uuid.toUpperCase()]);
    expect(finder.ids).toEqual([word, uuid, "cat", "1234567890123456", "a.b"].sort());
  });

  describe("of images that nobody knows as public", () => {
    const known = "2f3c9a52-0b7e-4d11-9c5e-7a20b1d4e6f8";
    const careful = createIdFinder([], {
      folders: ["images", "photos"],
      shows: (id) => id === known,
      key: "",
    });

    it.each([
      [`/api/v1/images/${uuid}.jpg`, `/api/v1/images/${nobody}.jpg`],
      [`http://o.test/view/photos/${uuid.toUpperCase()}`, `http://o.test/view/photos/${nobody}`],
      [`?u=x%2Fimages%2F${uuid}%2Fdownload`, `?u=x%2Fimages%2F${nobody}%2Fdownload`],
      [`?u=x%252Fimages%252F${uuid}`, `?u=x%252Fimages%252F${nobody}`],
      [`{"u":"\\/images\\/${uuid}"}`, `{"u":"\\/images\\/${nobody}"}`],
      [`images&#47;${uuid} images&sol;${uuid}`, `images&#47;${nobody} images&sol;${nobody}`],
      [`/images/${known}.jpg`, `/images/${known}.jpg`],
      [`/images/${known.toUpperCase()}`, `/images/${known.toUpperCase()}`],
      [`/images/${nobody}`, `/images/${nobody}`],
      [`/articles/${uuid}/images/index.json`, `/articles/${uuid}/images/index.json`],
    ])("%s → %s", (text, expected) => {
      expect(careful.withoutIds(text)).toBe(expected);
      expect(careful.idsIn(expected)).toEqual([]);
    });
  });

  it("are none where every image is shown", () => {
    expect(createIdFinder([]).withoutIds(uuid)).toBe(uuid);
  });
});
