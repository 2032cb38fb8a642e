const byteOrderMark = "\uFEFF";

/**
 * A table as RFC 4180 writes it, with a byte order mark, by which spreadsheets know UTF-8. A text that a spreadsheet
 * would take for a formula gets an apostrophe in front.
 */
export function csvText(rows: Iterable<readonly string[]>): string {
  let text = byteOrderMark;
  for (const row of rows) text += `${row.map(cell).join(",")}\r\n`;
  return text;
}

function cell(text: string): string {
  const harmless = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
