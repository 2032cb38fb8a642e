/** Light that a landscape is seen in; titles and the sun or moon follow from it. */
export type Hour = "dawn" | "day" | "dusk" | "night";

/** Colours as #rrggbb: the sky from the top to the horizon, far and near land, sun or moon. */
export interface SkyPalette {
  hour: Hour;
  sky: readonly string[];
  far: string;
  near: string;
  light: string;
}

/** Colours of a flat composition, as #rrggbb. */
export interface FlatPalette {
  paper: string;
  ink: string;
  accents: readonly string[];
}

function sky(hour: Hour, colours: string): SkyPalette {
  const all = colours.split(" ").map((hex) => `#${hex}`);
  const [far = "", near = "", light = ""] = all.slice(4);
  return { hour, sky: all.slice(0, 4), far, near, light };
}

function flat(colours: string): FlatPalette {
  const [paper = "", ink = "", ...accents] = colours.split(" ").map((hex) => `#${hex}`);
  return { paper, ink, accents };
}

export const skyPalettes: readonly SkyPalette[] = [
  sky("dawn", "4a5a8f 9486b8 e9aaa4 fddcb9 cf9fae 2a2647 fff3dc"),
  sky("dusk", "35305a 84506f dd7a5f fbc07c cf7f6d 241a30 ffe6b0"),
  sky("day", "3a7db5 79b1d6 bcdbe8 f1f5ee a8c7d8 1b3a4e ffffff"),
  sky("dawn", "8aa6a6 b0c5c0 d5ddd2 f1ecdd b7c7bf 284545 fffaec"),
  sky("night", "070b1f 121b40 283c70 52719b 3d5685 070b1a f6f2df"),
  sky("night", "04101b 0a2a3a 146164 66bda0 236468 031117 f1fbf0"),
  sky("day", "e4a544 f0c266 f8dc98 fef2d2 e0a65a 55291a fffbf0"),
  sky("dusk", "3d274f 7a416c c0647c f4a98f b26a80 21122e ffe3c4"),
  sky("day", "86bfb2 b3d7c5 dce8d0 fbf4e0 a3c8b3 1b4037 fffdf2"),
  sky("day", "8592a6 a9b4c2 ced5db f0efec b5bfcb 29323f ffffff"),
  sky("dawn", "6369ad 958fc8 cab3d8 f6d9d6 a99bc8 2a2550 fff4ee"),
  sky("dusk", "1e1022 4f1c30 a63632 f2853f 823236 140a12 ffd88a"),
];

export const flatPalettes: readonly FlatPalette[] = [
  flat("f1e8d6 1d1d1b d6402b e9b52c 234e8c 3a7d6b"),
  flat("f6ede1 2b2320 c65f3f e3a67a 7c8b6f 2f4b54"),
  flat("eef0ec 1f2d3a 3f6b8c 9db8c2 e0a33e c8553d"),
  flat("131b2e f3ead7 e76f51 f4a261 2a9d8f 5b7db1"),
  flat("fbf5ea 23233d f2605c 3f6ad8 f7b538 2d9c87"),
  flat("efe9d2 2e2f1f 6b7a2f c9a93b a5482e d8c79a"),
  flat("0f303d f2e9d8 23808f b7d3d8 e1a95f d1495b"),
  flat("173229 f3ecd9 e2b04a 7fa88b d9694a c9d6b8"),
];

/** Colour between two; 0 gives the first, 1 the second. */
export function mixColour(from: string, to: string, share: number): string {
  const channel = (at: number): string => {
    const [a, b] = [from, to].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16));
    return Math.round((a ?? 0) * (1 - share) + (b ?? 0) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
