// Parts of a line of facts whose separator can be seen where the line begins.
(() => {
  const seen = [];
  for (const line of document.querySelectorAll(".meta")) {
    const box = line.getBoundingClientRect();
    // What of the line is drawn; the browser gives the lengths of inset() in pixels.
    const inset = /inset\(([^)]*)\)/.exec(getComputedStyle(line).clipPath)?.[1]?.split(" ") ?? [];
    const drawnFrom = box.left + Number.parseFloat(inset[3] ?? inset[1] ?? "0");
    let above = -1;
    for (const part of line.children) {
      const { content, position, width } = getComputedStyle(part, "::before");
      const { left, top } = part.getBoundingClientRect();
      const begins = top > above + 2;
      above = top;
      if (!begins || !content.includes("·")) continue;
      const dot = left + (position === "absolute" ? Number.parseFloat(width) / 2 : 4);
      if (dot + 2 > drawnFrom) seen.push(part.textContent);
    }
  }
  return seen;
})();
