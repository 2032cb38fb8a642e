import sharp from "sharp";
import { dice } from "../random.ts";
import { mixColour, type SkyPalette, skyPalettes } from "./palettes.ts";

const width = 320;
const height = 180;
/** Frames per second. */
const rate = 8;

/**
 * WebM file (VP8, no sound) of a sunrise over the sea.
 *
 * A lossy WebP image holds one VP8 key frame (RFC 9649), so each frame is encoded as such an image
 * and its chunk put into the video; no video encoder is needed.
 */
export async function makeVideo({ seed, seconds }: { seed: number; seconds: number }) {
  const throws = dice(seed);
  const palette = throws.pick(skyPalettes);
  const sunX = throws.between(0.3, 0.7) * width;
  const frames: Buffer[] = [];
  for (let index = 0; index < seconds * rate; index += 1) {
    const svg = Buffer.from(drawFrame(palette, sunX, index / (seconds * rate)));
    const webp = await sharp(svg).flatten().webp({ quality: 70, effort: 0 }).toBuffer();
    frames.push(vp8Chunk(webp));
  }
  return webmOf(frames);
}

/** The scene at `progress`, which runs from 0 to 1. */
function drawFrame({ sky, near, light }: SkyPalette, sunX: number, progress: number): string {
  const [top = near, , low = near, edge = near] = sky;
  const shade = (colour: string): string => mixColour(near, colour, 0.25 + 0.75 * progress);
  const sunY = 130 - 95 * progress;
  const waves = Array.from({ length: 9 }, (_, at) => {
    const x = sunX + Math.sin(progress * 20 + at * 2.1) * 12;
    return `<ellipse cx="${x}" cy="${124 + at * 6}" rx="${6 + at * 2}" ry="1.2"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${shade(top)}"/><stop offset=".5" stop-color="${shade(low)}"/><stop offset="1" stop-color="${shade(edge)}"/></linearGradient>
<rect width="${width}" height="118" fill="url(#sky)"/>
<circle cx="${sunX}" cy="${sunY}" r="40" fill="${light}" fill-opacity=".2"/>
<circle cx="${sunX}" cy="${sunY}" r="14" fill="${light}"/>
<rect y="118" width="${width}" height="62" fill="${shade(mixColour(low, near, 0.5))}"/>
<g fill="${light}" fill-opacity=".5">${waves.join("")}</g></svg>`;
}

/** Contents of the "VP8 " chunk of a WebP file. Throws when the file has none. */
function vp8Chunk(webp: Buffer): Buffer {
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4);
    if (webp.toString("latin1", at, at + 4) === "VP8 ") return webp.subarray(at + 8, at + 8 + size);
    at += 8 + size + (size % 2);
  }
  throw new Error("the frame was not encoded as a lossy WebP image");
}

/**
 * WebM file of key frames: EBML elements (RFC 8794) with the ids of Matroska (RFC 9559). Cues stand
 * in front of the clusters, one cluster for each second, so that a player can seek over HTTP.
 */
function webmOf(frames: readonly Buffer[]): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE((frames.length / rate) * 1000);
  const info = element("1549a966", number("2ad7b1", 1_000_000), element("4489", duration));
  const size = element("e0", number("b0", width), number("ba", height));
  const codec = element("86", Buffer.from("V_VP8"));
  const entry = [number("d7", 1), number("73c5", 1), number("83", 1), codec, size];
  const head = Buffer.concat([info, element("1654ae6b", element("ae", ...entry))]);
  const clusters: Buffer[] = [];
  for (let start = 0; start < frames.length; start += rate) {
    const blocks = frames.slice(start, start + rate).map((frame, at) => {
      const prefix = Buffer.from([0x81, 0, 0, 0x80]);
      prefix.writeInt16BE(Math.round((at / rate) * 1000), 1);
      return element("a3", prefix, frame);
    });
    clusters.push(element("1f43b675", number("e7", (start / rate) * 1000), ...blocks));
  }
  // Numbers have a fixed width, so that the size of the cues is known before their values.
  const cues = (from: number): Buffer => {
    let position = from;
    const points = clusters.map((cluster, second) => {
      const place = element("b7", number("f7", 1), number("f1", position));
      position += cluster.length;
      return element("bb", number("b3", second * 1000), place);
    });
    return element("1c53bb6b", ...points);
  };
  const front = head.length + cues(0).length;
  const type = element("4282", Buffer.from("webm"));
  const header = element("1a45dfa3", type, number("4287", 4), number("4285", 2));
  return Buffer.concat([header, element("18538067", head, cues(front), ...clusters)]);
}

function element(id: string, ...content: Buffer[]): Buffer {
  const size = Buffer.alloc(4);
  // The highest bits of a size tell how many bytes it has: four, here.
  size.writeUInt32BE(0x1000_0000 + content.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([Buffer.from(id, "hex"), size, ...content]);
}

function number(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return element(id, bytes);
}
