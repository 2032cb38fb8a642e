import { cycle } from "./random.ts";

/** Light a landscape is seen in; titles and the sun or moon follow from it. */
export type Hour = "dawn" | "day" | "dusk" | "night";

/** Colours of a landscape, all as #rrggbb. */
export interface SkyPalette {
  name: string;
  hour: Hour;
  /** From the top of the sky to the horizon. */
  sky: readonly [string, string, string, string];
  /** Land seen through the most air, and land close by. */
  far: string;
  near: string;
  /** Sun or moon. */
  light: string;
}

/** Colours of a flat composition, all as #rrggbb. */
export interface FlatPalette {
  name: string;
  paper: string;
  ink: string;
  accents: readonly [string, string, string, string];
}

function sky(name: string, hour: Hour, colours: string): SkyPalette {
  const [a, b, c, d, far, near, light] = colours.split(" ").map((hex) => `#${hex}`);
  if (!a || !b || !c || !d || !far || !near || !light) throw new RangeError(`palette ${name}`);
  return { name, hour, sky: [a, b, c, d], far, near, light };
}

function flat(name: string, colours: string): FlatPalette {
  const [paper, ink, a, b, c, d] = colours.split(" ").map((hex) => `#${hex}`);
  if (!paper || !ink || !a || !b || !c || !d) throw new RangeError(`palette ${name}`);
  return { name, paper, ink, accents: [a, b, c, d] };
}

/** Palettes of the landscapes. */
export const skyPalettes: readonly SkyPalette[] = [
  sky("rose", "dawn", "4a5a8f 9486b8 e9aaa4 fddcb9 cf9fae 2a2647 fff3dc"),
  sky("amber", "dusk", "35305a 84506f dd7a5f fbc07c cf7f6d 241a30 ffe6b0"),
  sky("alpine", "day", "3a7db5 79b1d6 bcdbe8 f1f5ee a8c7d8 1b3a4e ffffff"),
  sky("sea mist", "dawn", "8aa6a6 b0c5c0 d5ddd2 f1ecdd b7c7bf 284545 fffaec"),
  sky("indigo", "night", "070b1f 121b40 283c70 52719b 3d5685 070b1a f6f2df"),
  sky("aurora", "night", "04101b 0a2a3a 146164 66bda0 236468 031117 f1fbf0"),
  sky("saffron", "day", "e4a544 f0c266 f8dc98 fef2d2 e0a65a 55291a fffbf0"),
  sky("plum", "dusk", "3d274f 7a416c c0647c f4a98f b26a80 21122e ffe3c4"),
  sky("mint", "day", "86bfb2 b3d7c5 dce8d0 fbf4e0 a3c8b3 1b4037 fffdf2"),
  sky("coral", "day", "4fadbf 93cfce d8e8d6 ffebce e0a990 66303a fffaf0"),
  sky("winter", "day", "8592a6 a9b4c2 ced5db f0efec b5bfcb 29323f ffffff"),
  sky("lavender", "dawn", "6369ad 958fc8 cab3d8 f6d9d6 a99bc8 2a2550 fff4ee"),
  sky("ember", "dusk", "1e1022 4f1c30 a63632 f2853f 823236 140a12 ffd88a"),
  sky("olive", "day", "7fa3a0 b0c2a4 dcd9b0 f7ebca b3b98d 2c3a22 fff8e0"),
];

/** Palettes of the abstract compositions and the posters. */
export const flatPalettes: readonly FlatPalette[] = [
  flat("workshop", "f1e8d6 1d1d1b d6402b e9b52c 234e8c 3a7d6b"),
  flat("terracotta", "f6ede1 2b2320 c65f3f e3a67a 7c8b6f 2f4b54"),
  flat("nordic", "eef0ec 1f2d3a 3f6b8c 9db8c2 e0a33e c8553d"),
  flat("midnight", "131b2e f3ead7 e76f51 f4a261 2a9d8f 5b7db1"),
  flat("overprint", "fbf5ea 23233d f2605c 3f6ad8 f7b538 2d9c87"),
  flat("orchard", "efe9d2 2e2f1f 6b7a2f c9a93b a5482e d8c79a"),
  flat("blush", "fbe9e4 3a1f33 e88a9a b5446e f2c14e 5f7fa3"),
  flat("deep sea", "0f303d f2e9d8 23808f b7d3d8 e1a95f d1495b"),
  flat("clay", "e8dacb 33261f a44a3f d4a373 606c38 f6f1e2"),
  flat("cobalt", "f4f1ea 101935 2450d8 f26a4b ffc857 9ec5d6"),
  flat("graphite", "e9e7e2 1b1b1e 4a4e57 9a9da3 d64933 c9c5bb"),
  flat("pine", "173229 f3ecd9 e2b04a 7fa88b d9694a c9d6b8"),
];

/** Colour between two #rrggbb colours; 0 gives the first, 1 the second. */
export function mixColour(from: string, to: string, share: number): string {
  const t = Math.min(1, Math.max(0, share));
  let mixed = "#";
  for (const at of [1, 3, 5]) {
    const a = Number.parseInt(from.slice(at, at + 2), 16);
    const b = Number.parseInt(to.slice(at, at + 2), 16);
    mixed += Math.round(a + (b - a) * t)
      .toString(16)
      .padStart(2, "0");
  }
  return mixed;
}

/** Accent of the palette, counted around its end. */
export function accentOf(palette: FlatPalette, index: number): string {
  return cycle(palette.accents, index);
}

/** Colour of an accent weakened with paper, so that large areas stay calm. */
export function softened(palette: FlatPalette, index: number, share = 0.4): string {
  return mixColour(accentOf(palette, index), palette.paper, share);
}

/** The palette's ink or paper, whichever stands out more on this ground. */
export function readableOn(palette: FlatPalette, ground: string): string {
  const level = lightness(ground);
  const ink = Math.abs(lightness(palette.ink) - level);
  return ink > Math.abs(lightness(palette.paper) - level) ? palette.ink : palette.paper;
}

/** Perceived lightness of a #rrggbb colour from 0 to 255 (BT.601 weights). */
function lightness(colour: string): number {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5);
}
