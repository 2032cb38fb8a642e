import type { Size } from "../media/variants.ts";

/** Widths that pictures have in the layout of templates/assets/style.css, for their `sizes`. */

/** How wide a whole picture stands in its place. */
export type SizesOf = (picture: Size) => string;

/** The window without the edges of `.wrap` and `.text`, as far as those grow with it. */
const window = "94vw - 1.2rem";

const digits = (value: number): number => Math.round(value * 10) / 10;

/** A picture at the width of a place, but no higher than a share of the window's height. */
function contained(place: string, maxVh: number, { width, height }: Size): string {
  const ratio = width / height;
  // A wider picture is lower than that in every usual window.
  return ratio > 1.3 ? `calc(${place})` : `min(${place}, ${digits(maxVh * ratio)}vh)`;
}

/** `.prose img` */
export const columnSizes: SizesOf = (picture) =>
  `(min-width: 44rem) ${contained("40rem", 85, picture)}, ${contained(window, 85, picture)}`;

/** `.hero img` */
export const heroSizes: SizesOf = (picture) =>
  `(min-width: 67.25rem) ${contained("62rem", 80, picture)}, ${contained(window, 80, picture)}`;

/** Pixels: the 62rem of a hero, and of a picture that is wider than the text. */
export const wideWidth = 992;

/** `.prose > .wide img`; undefined for a picture that stands in the column, because it is small or high. */
export function wideSizes(picture: Size): string | undefined {
  const { width, height } = picture;
  return width < wideWidth || width / height < 1.3 ? undefined : heroSizes(picture);
}

/** `.stage img`, which is as wide as this says. */
export const stageSizes: SizesOf = ({ width, height }) =>
  `min(${width}px, 96vw, ${digits((82 * width) / height)}vh)`;

/** Pictures that fill a frame, by the windows from which they have a width, widest first. */
const framed =
  (frame: number, ...places: [media: string, width: string][]): SizesOf =>
  ({ width, height }) => {
    const overhang = Math.max(1, digits(width / height / frame));
    const sizes = places.map(([media, place]) =>
      `${media} ${overhang === 1 ? `calc(${place})` : `calc((${place}) * ${overhang})`}`.trim(),
    );
    return sizes.join(", ");
  };

/** `.list .card .frame img` */
export const listCardSizes = framed(
  4 / 3,
  ["(min-width: 60rem)", "14rem"],
  ["(min-width: 40rem)", "13rem"],
  ["", "6.5rem"],
);

/** `.cards .card .frame img`: in three columns, two, or beside the text. */
export const cardSizes = framed(
  4 / 3,
  ["(min-width: 74rem)", "21.2rem"],
  ["(min-width: 61rem)", "29.3vw - 0.4rem"],
  ["(min-width: 40rem)", "45.5vw - 0.6rem"],
  ["", "6.5rem"],
);

/** `.gallery-card .frame img`: in four columns, three, or two. */
export const galleryCardSizes = framed(
  3 / 2,
  ["(min-width: 72rem)", "15.3rem"],
  ["(min-width: 52.5rem)", "29.3vw - 0.4rem"],
  ["(min-width: 40rem)", "45.5vw - 0.6rem"],
  ["", "47vw - 1.2rem"],
);

/** `.lead .frame img`: two thirds of the page, or all of it. */
export const leadSizes = framed(
  3 / 2,
  ["(min-width: 74rem)", "43.5rem"],
  ["(min-width: 60rem)", "61vw - 1.5rem"],
  ["", window],
);

/** `.beside .card .frame img`: a column, the page, or beside the text. */
export const besideSizes = framed(
  16 / 9,
  ["(min-width: 74rem)", "20.5rem"],
  ["(min-width: 60rem)", "30vw - 2rem"],
  ["(min-width: 40rem)", window],
  ["", "6.5rem"],
);

/** `.topics .card .frame img`: in columns, half of one, or beside the text. */
export const topicSizes = framed(4 / 3, ["(min-width: 40rem)", "36rem"], ["", "6.5rem"]);

/** `.tiles img` where `--row` is 4rem and a share of the window, up to a limit. Full rows are somewhat higher. */
const tile =
  (rowVw: number, maxRowRem: number, place: string, growth: number): SizesOf =>
  ({ width, height }) => {
    const wide = Math.min(3, Math.max(0.5, digits(width / height))) * growth;
    const row = `${digits(4 * wide)}rem + ${digits(rowVw * wide)}vw`;
    return `min(${place}, ${row}, ${digits(maxRowRem * wide)}rem)`;
  };

export const tileSizes = tile(9.5, 15, window, 1.1);
/** In the column of text, where most rows are not full. */
export const smallTileSizes = tile(6, 9, `${window}, 40rem`, 1);
