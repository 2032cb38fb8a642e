import type { Dice } from "../random.ts";
import { type FlatPalette, mixColour, type SkyPalette } from "./palettes.ts";

/** A drawing in the making. Lengths are units of which the shorter side has 600. */
export interface Sheet {
  width: number;
  height: number;
  throws: Dice;
}

/** Markup of a landscape under a sky. */
export type Landscape = (sheet: Sheet, palette: SkyPalette) => string;
/** Markup of a flat composition. */
export type Composition = (sheet: Sheet, palette: FlatPalette) => string;

/** A number as SVG needs it: tenths of a unit are finer than a pixel. */
const n = (value: number): string => String(Math.round(value * 10) / 10);

/** A gradient from top to bottom, and the paint that uses it. */
function vertical(id: string, colours: readonly string[]): string {
  const stops = colours.map(
    (colour, at) => `<stop offset="${at / (colours.length - 1)}" stop-color="${colour}"/>`,
  );
  return `<linearGradient id="${id}" x2="0" y2="1">${stops.join("")}</linearGradient>`;
}

/** The sky of a palette with its sun or moon at (x, y), and stars or streaks of cloud. */
function skyOf({ width, height, throws }: Sheet, { hour, sky, light }: SkyPalette): string {
  const low = hour === "dawn" || hour === "dusk";
  const x = width * throws.between(0.2, 0.8);
  const y = height * (low ? throws.between(0.36, 0.5) : throws.between(0.14, 0.3));
  const radius = throws.between(22, 46);
  const glow = `<radialGradient id="glow"><stop stop-color="${light}" stop-opacity=".7"/><stop offset=".4" stop-color="${light}" stop-opacity=".15"/><stop offset="1" stop-color="${light}" stop-opacity="0"/></radialGradient>`;
  const stars = Array.from({ length: 160 }, () => {
    const size = n(throws.between(0.5, 1.7));
    return `<circle cx="${n(width * throws.between(0, 1))}" cy="${n(height * throws.between(0, 0.6))}" r="${size}"/>`;
  });
  const clouds = Array.from({ length: 7 }, () => {
    const half = throws.between(60, 170);
    return `<ellipse cx="${n(width * throws.between(0, 1))}" cy="${n(height * throws.between(0.06, 0.4))}" rx="${n(half)}" ry="${n(half * throws.between(0.05, 0.1))}"/>`;
  });
  const details =
    hour === "night"
      ? `<g fill="${light}" fill-opacity=".7">${stars.join("")}</g>`
      : `<g fill="${mixColour(sky[3] ?? light, "#ffffff", 0.4)}" fill-opacity=".3">${clouds.join("")}</g>`;
  return `<defs>${vertical("sky", sky)}${glow}</defs>
<rect width="100%" height="100%" fill="url(#sky)"/>${details}
<circle cx="${n(x)}" cy="${n(y)}" r="${radius * 7}" fill="url(#glow)"/>
<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${light}"/>`;
}

/** Height of a range of hills above its foot, from 0 to 1, at any x. Pointed ones have summits. */
function range(throws: Dice, length: number, pointed = false): (x: number) => number {
  const waves = [1, 2.3, 4.1, 8.7, 17.9].map((rate, at) => ({
    rate: ((Math.PI * 2) / length) * rate * throws.between(0.8, 1.2),
    phase: throws.between(0, 7),
    share: (pointed ? 1.7 : 2.4) ** -at,
  }));
  const total = waves.reduce((sum, { share }) => sum + share, 0);
  return (x) => {
    const sum = waves.reduce((height, { rate, phase, share }) => {
      const wave = Math.sin(x * rate + phase);
      return height + share * (pointed ? 1 - 2 * Math.abs(wave) : wave);
    }, 0);
    return 0.5 + sum / total / 2;
  };
}

/** Outline of the land from `base` upwards, closed at the lower edge of `bottom`. */
function land(
  width: number,
  height: (x: number) => number,
  { base, rise, bottom }: { base: number; rise: number; bottom: number },
): string {
  const points: string[] = [];
  for (let x = -4; x <= width + 4; x += 4) points.push(`${n(x)} ${n(base - rise * height(x))}`);
  return `M${points.join("L")}V${n(bottom)}H-4Z`;
}

/** Ranges of hills, the farther the paler. */
export const paintHills: Landscape = (sheet, palette) => {
  const { width, height, throws } = sheet;
  const haze = palette.sky[3] ?? palette.light;
  const pointed = throws.chance(40);
  const layers = Array.from({ length: 6 }, (_, at) => {
    const depth = at / 5;
    const colour = mixColour(palette.far, palette.near, depth ** 1.2);
    const outline = land(width, range(throws, 420 + 500 * depth, pointed && at < 4), {
      base: height * (0.58 + 0.38 * depth),
      rise: height * (0.26 - 0.1 * depth),
      bottom: height,
    });
    const foot = mixColour(colour, haze, 0.55 * (1 - depth));
    return `<defs>${vertical(`hill${at}`, [colour, foot])}</defs><path d="${outline}" fill="url(#hill${at})"/>`;
  });
  return skyOf(sheet, palette) + layers.join("");
};

/** A range of mountains and its reflection in still water. */
export const paintLake: Landscape = (sheet, palette) => {
  const { width, height, throws } = sheet;
  const shore = height * throws.between(0.56, 0.68);
  const far = range(throws, 520, true);
  const near = range(throws, 700);
  const ground = { base: shore, bottom: shore + 1 };
  const shores = `<path d="${land(width, far, { ...ground, rise: height * 0.34 })}" fill="${palette.far}"/>
<path d="${land(width, far, { ...ground, rise: height * 0.2 })}" fill="${mixColour(palette.far, palette.near, 0.35)}"/>
<path d="${land(width, (x) => near(x) ** 3, { ...ground, rise: height * 0.16 })}" fill="${mixColour(palette.far, palette.near, 0.85)}"/>`;
  const ripples = Array.from({ length: 90 }, () => {
    const depth = throws.between(0, 1) ** 1.6;
    const half = (10 + 60 * depth) * throws.between(0.4, 1.3);
    const y = shore + 4 + (height - shore) * depth;
    return `<ellipse cx="${n(width * throws.between(0, 1))}" cy="${n(y)}" rx="${n(half)}" ry="${n(0.6 + 1.6 * depth)}"/>`;
  });
  const water = mixColour(palette.sky[1] ?? palette.far, palette.near, 0.35);
  return `${skyOf(sheet, palette)}<g id="shores">${shores}</g>
<defs>${vertical("water", [palette.sky[3] ?? water, water])}</defs>
<rect y="${n(shore)}" width="100%" height="100%" fill="url(#water)"/>
<use href="#shores" transform="matrix(1 0 0 -1 0 ${n(2 * shore)})" opacity=".45"/>
<g fill="${palette.light}" fill-opacity=".22">${ripples.join("")}</g>`;
};

/** Rows of firs that come out of the mist. */
export const paintForest: Landscape = (sheet, palette) => {
  const { width, height, throws } = sheet;
  const rows = Array.from({ length: 5 }, (_, at) => {
    const depth = at / 4;
    const ground = range(throws, 900);
    const base = (x: number): number => height * (0.56 + 0.4 * depth) - 50 * ground(x);
    let trees = land(width, ground, { base: base(0) + 50 * ground(0), rise: 50, bottom: height });
    for (let x = -10; x < width + 10; x += throws.between(9, 22) * (0.7 + 1.6 * depth)) {
      trees += fir(x, base(x) + 14, throws.between(34, 74) * (0.7 + 1.7 * depth));
    }
    const colour = mixColour(palette.far, palette.near, depth);
    const mist = mixColour(colour, palette.sky[3] ?? colour, 0.6 * (1 - depth));
    return `<defs>${vertical(`row${at}`, [colour, mist])}</defs><path d="${trees}" fill="url(#row${at})"/>`;
  });
  return skyOf(sheet, palette) + rows.join("");
};

function fir(x: number, foot: number, tall: number): string {
  const half = tall * 0.2;
  const tier = (top: number, share: number): string =>
    `M${n(x)} ${n(foot - tall * top)}l${n(half * share)} ${n(tall * 0.42)}h${n(-2 * half * share)}Z`;
  return tier(1, 0.6) + tier(0.75, 0.85) + tier(0.5, 1.1);
}

/** Rows of houses with lit windows. */
export const paintCity: Landscape = (sheet, palette) => {
  const { width, height, throws } = sheet;
  const dark = palette.hour === "night" || palette.hour === "dusk";
  const rows = Array.from({ length: 4 }, (_, at) => {
    const depth = at / 3;
    let walls = "";
    let windows = "";
    for (let x = -20; x < width; ) {
      const wide = throws.between(30, 74) * (0.8 + 0.6 * depth);
      const tall = throws.between(90, 220) * (throws.chance(18) ? 1.5 : 1.1 - 0.4 * depth);
      const top = height * (0.72 + 0.22 * depth) - tall;
      const roof = throws.chance(30)
        ? `l${n(wide / 2)} ${n(-wide * 0.4)}L${n(x + wide)} ${n(top)}`
        : "";
      walls += `M${n(x)} ${n(top)}${roof}H${n(x + wide)}V${height}H${n(x)}Z`;
      if (at > 0) windows += panes(throws, { x, top, wide, bottom: height });
      x += wide * throws.between(0.95, 1.25);
    }
    const colour = mixColour(palette.far, palette.near, depth ** 1.1);
    const foot = mixColour(colour, palette.sky[3] ?? colour, 0.5 * (1 - depth));
    return `<defs>${vertical(`street${at}`, [colour, foot])}</defs><path d="${walls}" fill="url(#street${at})"/>
<path d="${windows}" fill="${dark ? "#ffd98e" : palette.light}" fill-opacity="${dark ? 0.85 : 0.3}"/>`;
  });
  return skyOf(sheet, palette) + rows.join("");
};

function panes(
  throws: Dice,
  { x, top, wide, bottom }: { x: number; top: number; wide: number; bottom: number },
): string {
  let path = "";
  for (let row = top + 12; row < bottom; row += 16) {
    for (let pane = x + 7; pane < x + wide - 11; pane += 12) {
      if (throws.chance(28)) path += `M${n(pane)} ${n(row)}h6v8h-6Z`;
    }
  }
  return path;
}

/** Stems with paired leaves in front of a disc. */
export const paintBotanical: Composition = ({ width, height, throws }, palette) => {
  const disc = `<circle cx="${n(width * throws.between(0.35, 0.65))}" cy="${n(height * 0.42)}" r="${n(throws.between(150, 210))}" fill="${mixColour(throws.pick(palette.accents), palette.paper, 0.5)}"/>`;
  const count = Math.round(width / throws.between(95, 140));
  const stems = Array.from({ length: count }, (_, at) => {
    const colour = throws.pick([...palette.accents, palette.ink]);
    const x = (width * (at + throws.between(0.2, 0.8))) / count;
    const tall = height * throws.between(0.5, 0.88);
    const lean = throws.between(-14, 14);
    const long = throws.between(34, 62);
    const steps = 5 + throws.roll(6);
    const leaf = `M0 0C${n(long * 0.3)} ${n(-long * 0.5)} ${n(long * 0.9)} ${n(-long * 0.5)} ${n(long)} ${n(-long * 0.75)}C${n(long * 0.9)} ${n(-long * 0.1)} ${n(long * 0.4)} ${n(long * 0.1)} 0 0Z`;
    const pairs = Array.from({ length: steps }, (_, step) => {
      const size = 1 - (step / steps) * 0.65;
      const y = -tall * (0.2 + (0.76 * step) / steps);
      return [size, -size].map(
        (side) =>
          `<path d="${leaf}" transform="translate(0 ${n(y)}) scale(${side.toFixed(2)} ${size.toFixed(2)})"/>`,
      );
    });
    return `<g fill="${colour}" transform="translate(${n(x)} ${height}) rotate(${n(lean)})"><rect x="-2" y="${n(-tall)}" width="4" height="${n(tall + 20)}"/>${pairs.flat().join("")}<circle cy="${n(-tall)}" r="${n(throws.between(6, 13))}"/></g>`;
  });
  return `<rect width="100%" height="100%" fill="${palette.paper}"/>${disc}${stems.join("")}`;
};

/** A grid of quarter circles, discs, rings and bows. */
export const paintGrid: Composition = ({ width, height, throws }, palette) => {
  const cell = throws.pick([120, 150, 200]);
  const colours = [...palette.accents, palette.ink, palette.paper];
  const tiles: string[] = [];
  for (let y = 0; y < height; y += cell) {
    for (let x = 0; x < width; x += cell) {
      const ground = throws.roll(colours.length);
      const [figure, third] = [1, 2].map((step) => colours[(ground + step + throws.roll(3)) % 6]);
      const half = cell / 2;
      const forms = [
        `<path d="M0 0H${cell}A${cell} ${cell} 0 0 1 0 ${cell}Z"/><path d="M0 0H${half}A${half} ${half} 0 0 1 0 ${half}Z" fill="${third}"/>`,
        `<circle cx="${half}" cy="${half}" r="${n(cell * 0.4)}"/><circle cx="${half}" cy="${half}" r="${n(cell * 0.18)}" fill="${third}"/>`,
        `<path d="M0 0A${half} ${half} 0 0 0 ${cell} 0Z"/><path d="M0 ${half}A${half} ${half} 0 0 0 ${cell} ${half}Z" fill="${third}"/>`,
        `<path d="M0 0H${cell}L0 ${cell}Z"/>`,
        `<path d="M0 0H${half}A${half} ${half} 0 0 1 ${cell} ${half}V${cell}H${half}A${half} ${half} 0 0 1 0 ${half}Z"/>`,
      ];
      tiles.push(
        `<g transform="translate(${x} ${y})" fill="${figure}"><rect width="${cell + 1}" height="${cell + 1}" fill="${colours[ground]}"/><g transform="rotate(${throws.roll(4) * 90} ${half} ${half})">${throws.pick(forms)}</g></g>`,
      );
    }
  }
  return tiles.join("");
};
