const columns = 72;
const linesPerPage = 44;

/** Signs of WinAnsiEncoding that are not where Unicode has them, and their places. */
const signs = "€‚„…‘’“”•–—Œœ";
const places = "\x80\x82\x84\x85\x91\x92\x93\x94\x95\x96\x97\x8c\x9c";

/** PDF page of a title and as much of its paragraphs as fits, in Courier. */
export function makeDocument(title: string, paragraphs: readonly string[]): Buffer {
  const lines = [...wrapped(title), ...paragraphs.flatMap((text) => ["", ...wrapped(text)])];
  const shown = lines.slice(0, linesPerPage).map((line) => `(${literal(line)}) '`);
  const stream = `BT /F1 11 Tf 16 TL 56 790 Td\n${shown.join("\n")} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [6 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    `<< /Title (${literal(title)}) >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
  ];
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
