/** PDF page with a title, in Courier. Beside ASCII, only the apostrophe of books is shown. */
export function makeDocument(title: string): Buffer {
  const shown = title.replaceAll("’", "\x92").replace(/[^ -~\x92]/g, "?");
  const literal = `(${shown.replace(/[\\()]/g, "\\$&")})`;
  const stream = `BT /F1 11 Tf 56 790 Td ${literal} Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [6 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    `<< /Title ${literal} >>`,
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
