import { dice } from "../../lib/random.ts";

export const videoSeconds = 4;

/** WebM (VP8, no sound, 160 x 90 pixels, a key frame a second): the sun rises over the sea. */
const sample =
  "GkXfoxAAAB5CghAAAAR3ZWJtQocQAAAEAAAABEKFEAAABAAAAAIYU4BnEAAGHRVJqWYQAAArKtexEAAABAAPQkBNgBAAAAxkZW1vMDAwMDAwMDBEiRAAAAhAr0AAAAAAABZUrmsQAABCrhAAAD3XEAAABAAAAAFzxRAAAAQAAAABgxAAAAQAAAABhhAAAAVWX1ZQOOAQAAASsBAAAAQAAACguhAAAAQAAABaHFO7axAAAJS7EAAAILMQAAAEAAAAALcQAAAS9xAAAAQAAAAB8RAAAAQAAAEZuxAAACCzEAAABAAAA+i3EAAAEvcQAAAEAAAAAfEQAAAEAAACM7sQAAAgsxAAAAQAAAfQtxAAABL3EAAABAAAAAHxEAAABAAAA2+7EAAAILMQAAAEAAALuLcQAAAS9xAAAAQAAAAB8RAAAAQAAATBH0O2dRAAARLnEAAABAAAAACjEAABBIEAAIDQCwCdASqgAFoAPwGAuFUrKSWjJNjpaWAgCWkA0qwRx/1V6jqtUn+5cQg0zob26YZaVugLrF1pLXSg6zZ4Sp+buh8IWCc30iKSE4lxHb3X01uxbE+P7ALvPHqj0ooA4OJjsodeyDsAAP7ufU5+j9K/IKDLXLpOW8kJO0zIlJK2CUmUIQzFx/7qyr/O+/IvquuawBSp8OdVy6xKNHLd1c4pQ5ebx+bDx5vZ+OH1K83cAfwyKUE5EB+k6hXRPlEoQ3MBZfVYzFTBil9+Kb990sNHyg0fb55JQ4GRTiw68LpLUkYW66sfeSXSNRYMKVUsGpOyFWFAsad77KM9ykW3AAAAH0O2dRAAATTnEAAABAAAA+ijEAABJoEAAIDQDACdASqgAFoAPwF+tlQrKKUjKRWokWAgCWcA0nAJM5Vku047hHHynejEZnwmGTbvgRFC+EktMYPz3xi9gvIbHKOlnq51cRZ9JWD2QBrA+K5uX2pWnDHITLweqcB7zAfdx1dZ5mc+z7WWdRIrhpAA/u2aa8xhjInbboagA1UxpJ5eMkhqWFdzb0ann5KtruV99ty+4q94tVlG8eIOSlPJG/BXY4xkPS5ZFrAmAVyW5kRrD/dBv0SkacGWUXBaPAiAhKuUWi3KsyQKDEufbUZwjOhHG3NU3kpmSqukAznUlNFRl5qVO0OIx/Z6FTQ5onROhcoT5B6EzhJBNjIx+HDv+v65jogUAVc6jDZe4URoHoNmokWTdXnxT/irxvXaQdAAAB9DtnUQAAFK5xAAAAQAAAfQoxAAATyBAACA8A0AnQEqoABaAD8BerJTqzSkrCqyacqQIAlnANI0I/cSJEiRIkSHweSVeSPJkOCmwksCjphv9rppFPpAJYhrVO8JHKdvZ8AdnZu/RLvflUC1dtSeIbLJsYwXJhd2r6rW1v54uGV+0HSM/p1sYvGuwQl7sPcUNk4AAP7tEvSfFIXyZ/uRgTVAACooB6UobWd8rZRTeXTL83qZfJVDUf5fLbMfpSG3pHbnsl3B6/oQxA6ovO2+6ad8Qj7p6Ho25GTTJVmh4jzD0OHhyzoYM4Huw4qkMtl5ai9F3qwDYHuiNqJAGPc/qBlCT80rnXFnwh7tPozNHWiwgbbSGuM5Z2ZQUS9dgTjxJPsEtgBeNpe0iw1NyAGbm/+51Y7ncGK5M0wl0AHCa2CtkywxHsgNeH2unwbQne4vwQAAH0O2dRAAAVTnEAAABAAAC7ijEAABRoEAAIDwDgCdASqgAFoAPwF2r1A+P7OirFN8w/AgCWcA1BQHbeI+WDQxABhSXysWD/Ap4NU7UjMnpfvjtVsiRxwt04sOEFvjtU86EiRmmI+KHuYFEFDH2disaILwAv4rub5D8S+WDJfY5AwxszfTAsbpVJuU3e53dh2Idokxky7gkdb+AAD+60Z7udI78Ys9jhI2Ks8d4XlUOuz16oNYUzdnXe6AItIJ15AYwYcJAyx3VO3yVhuUbpWXiZ/cPIROJNEh9pQXHBT/k/4AacPPeKGz06L4opsl8mUebsKRt2uOU7IcpCk3NbnAPTmtd37uYeKZsTtfYJT+mj9xTsEc17X3NoGJ9jbm3JxikVruYEn4R6tMEK6OZpqVdJzhHeij7QtsStvet6N0uGtXJJ4hrKDv/+fVhN6D2RGgVjekyFvtAAAAAAAA";

/** All films show the same; a number in their heads makes them different files. */
export function makeVideo(number: number): Buffer {
  const video = Buffer.from(sample, "base64");
  video.write(String(number).padStart(8, "0"), video.indexOf("demo") + 4, "latin1");
  return video;
}

/** Samples per second. */
const rate = 11_025;

/** WAV file (PCM, 16 bit, mono) of one note, softly at both ends. */
export function makeAudio({ seed, seconds }: { seed: number; seconds: number }): Buffer {
  const length = seconds * rate;
  const turn = (2 * Math.PI * dice(seed).between(220, 440)) / rate;
  const samples = Int16Array.from({ length }, (_, at) => {
    const loudness = Math.min(1, at / 800, (length - at) / 800);
    return Math.round(20_000 * loudness * Math.sin(turn * at));
  });
  const head = Buffer.alloc(44);
  head.write("RIFF    WAVEfmt ", "latin1");
  head.writeUInt32LE(36 + samples.byteLength, 4);
  const format = [16, 0, 1, 1, rate, 0, rate * 2, 0, 2, 16];
  for (const [at, value] of format.entries()) head.writeUInt16LE(value, 16 + at * 2);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}

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
