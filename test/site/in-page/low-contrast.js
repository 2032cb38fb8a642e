// Texts whose contrast with what is behind them is below 4.5 (WCAG AA).
(() => {
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if ((color[3] ?? 1) > 0) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (walker.currentNode.nodeValue.trim() === "") continue;
    // A disabled control may be faint, and the star only repeats its hidden word.
    if (parent.closest(".off, .star") !== null) continue;
    const pair = [luminance(parse(getComputedStyle(parent).color)), luminance(behind(parent))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) poor.push(`${parent.outerHTML.slice(0, 80)}: ${ratio.toFixed(2)}`);
  }
  return poor;
})();
