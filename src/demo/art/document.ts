import { textWidth, toWinAnsi, winAnsiBytes } from "./winansi.ts";

/** Words of a document, in any script; see `toWinAnsi` for what becomes of them. */
export interface DocumentText {
  title: string;
  paragraphs: readonly string[];
  /** Line below every page, beside the page number. */
  footer: string;
}

/** Piece of text on a page, in points from the lower left corner. */
interface Placed {
  x: number;
  y: number;
  size: number;
  font: "F1" | "F2";
  text: string;
}

/** A4 in points, with its margins and type sizes. */
const page = { width: 595, height: 842, left: 72, right: 72, top: 770, bottom: 84 };
const type = { title: 22, titleLeading: 28, body: 11, leading: 16.5, gap: 8, small: 8.5 };

/** PDF 1.4 file of running text on A4 pages with page numbers; carries no dates. */
export function makeDocument(text: DocumentText): Buffer {
  const title = toWinAnsi(text.title).trim();
  const footer = toWinAnsi(text.footer).trim();
  const pages = layOut(
    title,
    text.paragraphs.map((paragraph) => toWinAnsi(paragraph).trim()),
  );
  const contents = pages.map((placed, index) =>
    contentOf([...placed, ...footerOf(footer, index + 1, pages.length)]),
  );
  return writeFile(title, contents);
}

function layOut(title: string, paragraphs: readonly string[]): Placed[][] {
  const pages: Placed[][] = [[]];
  let y = page.top;
  const put = (text: string, size: number, leading: number, font: Placed["font"]) => {
    if (y - leading < page.bottom) {
      pages.push([]);
      y = page.top + leading - size;
    }
    y -= leading;
    pages.at(-1)?.push({ x: page.left, y, size, font, text });
  };
  for (const line of wrap(title, type.title, true)) put(line, type.title, type.titleLeading, "F2");
  y -= type.leading;
  for (const paragraph of paragraphs) {
    for (const line of wrap(paragraph, type.body, false)) put(line, type.body, type.leading, "F1");
    y -= type.gap;
  }
  return pages;
}

/** Lines no wider than the text area; a word that is too long is cut. */
function wrap(text: string, size: number, bold: boolean): string[] {
  const room = page.width - page.left - page.right;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    let rest = word;
    while (textWidth(rest, size, bold) > room) {
      let fits = 1;
      while (textWidth(rest.slice(0, fits + 1), size, bold) <= room) fits++;
      if (line) lines.push(line);
      line = "";
      lines.push(rest.slice(0, fits));
      rest = rest.slice(fits);
    }
    const longer = line ? `${line} ${rest}` : rest;
    if (textWidth(longer, size, bold) <= room) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = rest;
  }
  if (line) lines.push(line);
  return lines;
}

function footerOf(footer: string, number: number, count: number): Placed[] {
  const text = `${number} / ${count}`;
  const size = type.small;
  const x = page.width - page.right - textWidth(text, size);
  const [first = ""] = wrap(footer, size * 1.2, false);
  return [
    { x: page.left, y: 48, size, font: "F1", text: first },
    { x, y: 48, size, font: "F1", text },
  ];
}

function contentOf(placed: readonly Placed[]): string {
  const rule = `0.6 w 0.7 G ${page.left} 62 m ${page.width - page.right} 62 l S\n`;
  const texts = placed.map(({ x, y, size, font, text }) => {
    const place = `1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)} Tm`;
    return `BT /${font} ${size} Tf ${place} ${literal(text)} Tj ET\n`;
  });
  return rule + texts.join("");
}

/** String object of PDF in WinAnsi bytes. */
function literal(text: string): string {
  return `(${winAnsiBytes(text).replaceAll(/[\\()]/g, "\\$&")})`;
}

/** String object for the document information, which knows PDFDocEncoding and UTF-16 only. */
function information(text: string): string {
  return `<FEFF${Buffer.from(text, "utf16le").swap16().toString("hex").toUpperCase()}>`;
}

function writeFile(title: string, contents: readonly string[]): Buffer {
  const firstPage = 6;
  const kids = contents.map((_, index) => `${firstPage + index * 2} 0 R`).join(" ");
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    font("Helvetica"),
    font("Helvetica-Bold"),
    `<< /Title ${information(title)} /Producer (stillpress demo) >>`,
  ];
  for (const [index, content] of contents.entries()) {
    const stream = firstPage + index * 2 + 1;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] ` +
        `/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${stream} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  // Every character stands for one byte, so lengths of the string are offsets in the file.
  let file = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [index, body] of objects.entries()) {
    table += `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
  }
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\n`;
  return Buffer.from(`${file}${table}${trailer}startxref\n${file.length}\n%%EOF\n`, "latin1");
}
