// How a text becomes words. The build and the search page both run this script, so that they agree.
(() => {
  const once = (make) => {
    let made;
    return () => (made ??= make());
  };

  const cjk = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー";
  const unspaced = "\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
  /** Made when they are needed: each takes a phone longer than a search. */
  const stretches = once(
    // Bounded, because an expression and a segmenter take too long for, or refuse, a stretch of any length.
    () =>
      new RegExp(
        `(?<cjk>[${cjk}]{1,9999})|(?<unspaced>[${unspaced}]{1,999})|(?:(?![${cjk}${unspaced}])[\\p{L}\\p{M}\\p{N}]){1,9999}`,
        "gu",
      ),
  );
  const segmenter = once(() => Intl.Segmenter && new Intl.Segmenter("th", { granularity: "word" }));
  const marksOfLetters =
    /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}])\p{Mn}+/gu;
  /** Letters that do not decompose, and Arabic letters that people write in several ways. */
  const alike = {
    ß: "ss",
    æ: "ae",
    œ: "oe",
    ø: "o",
    ł: "l",
    đ: "d",
    ð: "d",
    þ: "th",
    ı: "i",
    ς: "σ",
    ٱ: "ا",
    ى: "ي",
    ی: "ي",
    ک: "ك",
    ة: "ه",
  };
  const others = new RegExp(`[${Object.keys(alike).join("")}]`, "gu");
  const arabicArticle = /^ال(?=\p{Script=Arabic}{3})/u;
  /** Characters of a word that count. */
  const longest = 40;

  /** Makes an Arabic word wider and means nothing. */
  const tatweel = "\u0640";

  const ascii = /^[\0-\x7f]*$/;

  /** Lower case without accents, and without the Arabic article. Indic vowel signs, kana and Hangul stay whole. */
  function fold(text) {
    if (ascii.test(text)) return text.toLowerCase().slice(0, longest);
    const plain = text
      .slice(0, 10 * longest)
      .normalize("NFKD")
      .replaceAll(tatweel, "")
      .toLowerCase()
      .replace(marksOfLetters, "$1")
      .replace(others, (letter) => alike[letter])
      .replace(arabicArticle, "");
    return plain.normalize("NFC").slice(0, longest);
  }

  /** Every two neighbours, and the last character alone: then a prefix search finds each single one. */
  function pairs(text, from) {
    const characters = [...text];
    let start = from;
    return characters.map((character, at) => {
      const pair = character + (characters[at + 1] ?? "");
      const piece = { start, end: start + pair.length, word: fold(pair), pair: true };
      start += character.length;
      return piece;
    });
  }

  function segments(text, from) {
    if (!segmenter()) return pairs(text, from);
    return Array.from(segmenter().segment(text), ({ segment, index }) => ({
      start: from + index,
      end: from + index + segment.length,
      word: fold(segment),
    }));
  }

  /** Text that is quickly cut: letters of ASCII, and marks that are in no word. */
  const plain = /^[\0-\x7f\xa0\xab\xb7\xbb\u2010-\u201f\u2026]*$/;

  /** The words of a text with their places in it. */
  function pieces(text) {
    return plain.test(text) ? plainPieces(text) : anyPieces(text);
  }

  function plainPieces(text) {
    return Array.from(text.matchAll(/[a-z0-9]{1,9999}/gi), ({ 0: part, index: start }) => ({
      start,
      end: start + part.length,
      word: part.toLowerCase().slice(0, longest),
    }));
  }

  function anyPieces(text) {
    const found = [];
    for (const { 0: part, index: start, groups } of text.matchAll(stretches())) {
      if (groups.cjk) found.push(...pairs(part, start));
      else if (groups.unspaced) found.push(...segments(part, start));
      else found.push({ start, end: start + part.length, word: fold(part) });
    }
    return found.filter(({ word }) => word !== "");
  }

  /** Word by word: the time of a normal form can grow with the square of its text. */
  const normal = (text) => text.replace(/\S{1,999}/g, (part) => part.normalize("NFKC"));

  function words(text) {
    if (!plain.test(text)) return anyPieces(normal(text)).map(({ word }) => word);
    const found = text.toLowerCase().match(/[a-z0-9]{1,9999}/g) ?? [];
    return found.map((word) => word.slice(0, longest));
  }

  globalThis.stillpressSearch = { once, pieces, words };
})();
