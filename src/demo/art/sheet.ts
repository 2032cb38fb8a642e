/** Colour stop of a gradient: offset from 0 to 1, colour, opacity (1 when left out). */
type Stop = readonly [offset: number, colour: string, opacity?: number];

/** Point in pixels, y downwards. */
export type Point = readonly [x: number, y: number];

/** SVG drawing in the making; lengths are pixels. */
export interface Sheet {
  readonly width: number;
  readonly height: number;
  /** Draws on top of what is there. */
  add(...markup: string[]): void;
  /** Makes something available by its id without drawing it. */
  define(markup: string): void;
  /** Paint of a linear gradient, in fractions of the painted shape's box; from top to bottom. */
  linear(stops: readonly Stop[], from?: Point, to?: Point): string;
  /** Paint of a gradient from the middle of the painted shape's box to its edge. */
  radial(stops: readonly Stop[]): string;
  /** Id that nothing else on the sheet uses. */
  nextId(): string;
  /** Whole SVG document. */
  svg(): string;
}

/** Empty sheet of this size in pixels. */
export function createSheet(width: number, height: number): Sheet {
  const definitions: string[] = [];
  const body: string[] = [];
  let ids = 0;
  const nextId = () => `i${++ids}`;
  return {
    width,
    height,
    nextId,
    add: (...markup) => void body.push(...markup),
    define: (markup) => void definitions.push(markup),
    linear(stops, from = [0, 0], to = [0, 1]) {
      const id = nextId();
      const axis = `x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}"`;
      definitions.push(`<linearGradient id="${id}" ${axis}>${stopTags(stops)}</linearGradient>`);
      return `url(#${id})`;
    },
    radial(stops) {
      const id = nextId();
      definitions.push(`<radialGradient id="${id}">${stopTags(stops)}</radialGradient>`);
      return `url(#${id})`;
    },
    svg: () =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}"><defs>${definitions.join("")}</defs>${body.join("")}</svg>`,
  };
}

/** Number as written into SVG, to a tenth of a pixel. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Path data with every number written to a tenth of a pixel: d`M${x} ${y}h${width}Z`. */
export function d(parts: TemplateStringsArray, ...values: readonly number[]): string {
  return parts
    .map((part, index) => part + (index < values.length ? n(values[index] ?? 0) : ""))
    .join("");
}

/** Attribute that turns a shape around (x, y), clockwise by degrees. */
export function turned(degrees: number, x: number, y: number): string {
  return `transform="rotate(${degrees} ${n(x)} ${n(y)})"`;
}

/** Path data through the points, with straight pieces. */
export function polyline(points: readonly Point[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${n(x)} ${n(y)}`).join("");
}

/** Path data of a disc, to draw many of them as one shape. */
export function discPath(x: number, y: number, radius: number): string {
  const half = (width: number) => d`a${radius} ${radius} 0 1 0 ${width} 0`;
  return d`M${x - radius} ${y}` + half(radius * 2) + half(-radius * 2);
}

/** Closed shape through the points. */
export function polygon(points: readonly Point[], attributes: string): string {
  return shape(`${polyline(points)}Z`, attributes);
}

/** Path element. */
export function shape(data: string, attributes: string): string {
  return `<path d="${data}" ${attributes}/>`;
}

/** Circle element. */
export function circle(x: number, y: number, radius: number, attributes: string): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" ${attributes}/>`;
}

/** Ellipse element. */
export function ellipse(x: number, y: number, rx: number, ry: number, attributes: string): string {
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" ${attributes}/>`;
}

/** Rectangle element. */
export function rect(x: number, y: number, w: number, h: number, attributes: string): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${attributes}/>`;
}

/** Attribute that fills a shape. */
export function fill(paint: string, opacity = 1): string {
  const strength = opacity < 1 ? ` fill-opacity="${Math.round(opacity * 1000) / 1000}"` : "";
  return `fill="${paint}"${strength}`;
}

/** Attributes that draw only the outline of a shape, `width` in pixels. */
export function line(paint: string, width: number, opacity = 1): string {
  const strength = opacity < 1 ? ` stroke-opacity="${Math.round(opacity * 1000) / 1000}"` : "";
  return `fill="none" stroke="${paint}" stroke-width="${n(width)}"${strength}`;
}

function stopTags(stops: readonly Stop[]): string {
  return stops
    .map(([offset, colour, opacity]) => {
      const strength = opacity === undefined ? "" : ` stop-opacity="${opacity}"`;
      const place = Math.round(offset * 1000) / 1000;
      return `<stop offset="${place}" stop-color="${colour}"${strength}/>`;
    })
    .join("");
}
