const columns = 72;
const linesPerPage = 44;

/** Signs of WinAnsiEncoding that are not where Unicode has them, and their places. */
const signs = "€‚„…‘’“”•–—Œœ";
const places = "\x80\x82\x84\x85\x91\x92\x93\x94\x95\x96\x97\x8c\x9c";

/** PDF file of a title and its paragraphs, in Courier, so that every letter is equally wide. */
export function makeDocument(title: string, paragraphs: readonly string[]): Buffer {
  const lines = [...wrapped(title), ...paragraphs.flatMap((text) => ["", ...wrapped(text)])];
  const count = Math.max(1, Math.ceil(lines.length / linesPerPage));
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    `<< /Title (${literal(title)}) >>`,
  ];
  const kids: string[] = [];
  for (let page = 0; page < count; page += 1) {
    const text = lines.slice(page * linesPerPage, (page + 1) * linesPerPage);
    const shown = text.map((line) => `(${literal(line)}) '`).join("\n");
    const foot = `1 0 0 1 56 40 Tm (${page + 1} / ${count}) Tj`;
    const stream = `BT /F1 11 Tf 16 TL 56 790 Td\n${shown}\n${foot} ET`;
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    kids.push(`${objects.length + 1} 0 R`);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${objects.length} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${count} >>`;
  let file = "%PDF-1.4\n";
  let entries = "0000000000 65535 f \n";
  for (const [at, object] of objects.entries()) {
    entries += `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R >>`;
  const table = `xref\n0 ${size}\n${entries}${trailer}\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table, "latin1");
}

function wrapped(text: string): string[] {
  return text.match(new RegExp(`\\S.{0,${columns - 1}}(?=\\s|$)|\\S{${columns}}`, "gu")) ?? [];
}

/** A text as bytes of WinAnsiEncoding; letters it lacks lose their marks or become "?". */
function literal(text: string): string {
  const bytes = [...text].map((sign) => {
    const known = places[signs.indexOf(sign)] ?? sign.normalize(sign > "\xff" ? "NFD" : "NFC")[0];
    return known !== undefined && known <= "\xff" ? known : "?";
  });
  return bytes.join("").replace(/[\\()]/g, "\\$&");
}
