export type Hour = "dawn" | "day" | "dusk" | "night";

/** Colours as #rrggbb: the sky from the top to the horizon, far and near land, sun or moon. */
export type SkyPalette = ReturnType<typeof sky>;

function sky(hour: Hour, colours: string) {
  const all = colours.split(" ").map((hex) => `#${hex}`);
  const [far = "", near = "", light = ""] = all.slice(4);
  return { hour, sky: all.slice(0, 4), far, near, light };
}

export const skyPalettes: readonly SkyPalette[] = [
  sky("dawn", "4a5a8f 9486b8 e9aaa4 fddcb9 cf9fae 2a2647 fff3dc"),
  sky("dusk", "35305a 84506f dd7a5f fbc07c cf7f6d 241a30 ffe6b0"),
  sky("day", "3a7db5 79b1d6 bcdbe8 f1f5ee a8c7d8 1b3a4e ffffff"),
  sky("dawn", "8aa6a6 b0c5c0 d5ddd2 f1ecdd b7c7bf 284545 fffaec"),
  sky("night", "070b1f 121b40 283c70 52719b 3d5685 070b1a f6f2df"),
  sky("night", "04101b 0a2a3a 146164 66bda0 236468 031117 f1fbf0"),
  sky("day", "e4a544 f0c266 f8dc98 fef2d2 e0a65a 55291a fffbf0"),
  sky("dusk", "1e1022 4f1c30 a63632 f2853f 823236 140a12 ffd88a"),
];

/** Between two colours; 0 gives the first. */
export function mixColour(from: string, to: string, share: number): string {
  const channel = (at: number): string => {
    const [a, b] = [from, to].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16));
    const mixed = Math.round((a ?? 0) * (1 - share) + (b ?? 0) * share);
    return mixed.toString(16).padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
