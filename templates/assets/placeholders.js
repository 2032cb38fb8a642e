// Draws a placeholder of each picture near the window until it is there. Everything works without this script.
(() => {
  /** Pixels of a placeholder on each side, which browsers smooth. The rows of a BMP need a multiple of 4. */
  const side = 16;
  const cosines = Array.from({ length: 7 }, (_, waves) =>
    Array.from({ length: side }, (_, at) => Math.cos((Math.PI / side) * waves * (at + 0.5))),
  );

  /** The waves of brightness, yellow to blue and red to green in an opaque ThumbHash (evanw.github.io/thumbhash). */
  function channelsOf(hash) {
    const bytes = Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0));
    const head = bytes[0] | (bytes[1] << 8) | (bytes[2] << 16);
    const more = bytes[3] | (bytes[4] << 8);
    const [across, down] = more >> 15 ? [7, more & 7] : [more & 7, 7];
    let at = 10;
    const channel = (mean, scale, across, down) => {
      const waves = [[0, 0, mean]];
      for (let y = 0; y < down; y++) {
        for (let x = y === 0 ? 1 : 0; x * down < across * (down - y); x++) {
          const level = (bytes[at >> 1] >> (4 * (at & 1))) & 15;
          waves.push([x, y, (level / 7.5 - 1) * 2 * scale]);
          at++;
        }
      }
      return waves;
    };
    return [
      channel((head & 63) / 63, ((head >> 18) & 31) / 31, Math.max(3, across), Math.max(3, down)),
      channel(((head >> 6) & 63) / 31.5 - 1, (((more >> 3) & 63) / 63) * 1.25, 3, 3),
      channel(((head >> 12) & 63) / 31.5 - 1, (((more >> 9) & 63) / 63) * 1.25, 3, 3),
    ];
  }

  /** A channel pixel by pixel. The lowest row comes first, as in a BMP. */
  function levelsOf(waves) {
    const levels = [];
    for (let y = side - 1; y >= 0; y--) {
      const heights = [0, 0, 0, 0, 0, 0, 0];
      for (const [nx, ny, height] of waves) heights[nx] += height * cosines[ny][y];
      for (let x = 0; x < side; x++) {
        let level = 0;
        for (let n = 0; n < 7; n++) level += heights[n] * cosines[n][x];
        levels.push(level);
      }
    }
    return levels;
  }

  /** The placeholder as the address of a BMP: no other format that browsers show is as plain. */
  function placeholderOf(hash) {
    const [l, p, q] = channelsOf(hash).map(levelsOf);
    const bytes = new Uint8ClampedArray(54 + side * side * 3);
    const head = new DataView(bytes.buffer);
    head.setUint16(0, 0x4d42, true);
    head.setUint32(2, bytes.length, true);
    head.setUint32(10, 54, true);
    head.setUint32(14, 40, true);
    head.setUint32(18, side, true);
    head.setUint32(22, side, true);
    head.setUint16(26, 1, true);
    head.setUint16(28, 24, true);
    for (let at = 0; at < side * side; at++) {
      const blue = l[at] - (2 / 3) * p[at];
      const red = (3 * l[at] - blue + q[at]) / 2;
      bytes[54 + at * 3] = blue * 255;
      bytes[55 + at * 3] = (red - q[at]) * 255;
      bytes[56 + at * 3] = red * 255;
    }
    return `data:image/bmp;base64,${btoa(String.fromCharCode(...bytes))}`;
  }

  function show(image, box) {
    if (image.complete) return;
    const ratio = image.getAttribute("width") / image.getAttribute("height");
    const part = (ratio * box.height) / box.width;
    const bound = getComputedStyle(image).objectFit === "cover" ? Math.max : Math.min;
    const [width, height] = [part, 1 / part].map((of) => `${bound(1, of) * 100}%`);
    image.style.background = `url(${placeholderOf(image.dataset.hash)}) center / ${width} ${height} no-repeat`;
    const hide = () => {
      image.style.background = "";
    };
    // A picture that has arrived is not seen before it is decoded.
    image.addEventListener("load", () => image.decode().then(hide, hide), { once: true });
    image.addEventListener("error", hide, { once: true });
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        // One after the other, so that the page answers its reader in between.
        setTimeout(show, 0, target, boundingClientRect);
      }
    },
    { rootMargin: "50%" },
  );
  for (const image of document.querySelectorAll("img[data-hash]")) {
    if (!image.complete) observer.observe(image);
  }
})();
