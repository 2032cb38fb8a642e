/** What a player has to know about the frames. */
export interface VideoTrack {
  width: number;
  height: number;
  /** Frames per second. */
  fps: number;
}

/** Element ids of EBML (RFC 8794) and Matroska (RFC 9559) that are written. */
const id = {
  ebml: 0x1a45dfa3,
  ebmlVersion: 0x4286,
  ebmlReadVersion: 0x42f7,
  ebmlMaxIdLength: 0x42f2,
  ebmlMaxSizeLength: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  flagLacing: 0x9c,
  codecId: 0x86,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;

/**
 * WebM file of VP8 key frames, as in the "VP8 " chunks of lossy WebP images.
 *
 * Cues stand in front of the clusters, one cluster for each second; every size is known, so that
 * the file can be sought over HTTP ranges.
 */
export function muxWebm(track: VideoTrack, frames: readonly Buffer[]): Buffer {
  const info = element(id.info, [
    number(id.timestampScale, 1_000_000),
    float(id.duration, (frames.length / track.fps) * 1000),
    text(id.muxingApp, "stillpress demo"),
    text(id.writingApp, "stillpress demo"),
  ]);
  const tracks = element(id.tracks, [trackEntry(track)]);
  const clusters = clustersOf(track, frames);
  // Positions take four bytes whatever their value, so the sizes are known before the values.
  const headSize = seekHead(0, 0, 0).length;
  const front = headSize + info.length + tracks.length;
  const cuesSize = cues(clusters.map(({ timeMs }) => ({ timeMs, position: 0 }))).length;
  let position = front + cuesSize;
  const points = clusters.map(({ timeMs, data }) => {
    const point = { timeMs, position };
    position += data.length;
    return point;
  });
  const head = seekHead(headSize, headSize + info.length, front);
  const body = [head, info, tracks, cues(points), ...clusters.map(({ data }) => data)];
  return Buffer.concat([header(), element(id.segment, body)]);
}

function header(): Buffer {
  return element(id.ebml, [
    number(id.ebmlVersion, 1),
    number(id.ebmlReadVersion, 1),
    number(id.ebmlMaxIdLength, 4),
    number(id.ebmlMaxSizeLength, 8),
    text(id.docType, "webm"),
    number(id.docTypeVersion, 4),
    number(id.docTypeReadVersion, 2),
  ]);
}

function trackEntry(track: VideoTrack): Buffer {
  return element(id.trackEntry, [
    number(id.trackNumber, 1),
    number(id.trackUid, 1),
    number(id.trackType, 1),
    number(id.flagLacing, 0),
    text(id.codecId, "V_VP8"),
    number(id.defaultDuration, Math.round(1_000_000_000 / track.fps)),
    element(id.video, [number(id.pixelWidth, track.width), number(id.pixelHeight, track.height)]),
  ]);
}

function seekHead(info: number, tracks: number, cuePosition: number): Buffer {
  const entries = [
    [id.info, info],
    [id.tracks, tracks],
    [id.cues, cuePosition],
  ] as const;
  const seeks = entries.map(([target, position]) =>
    element(id.seek, [element(id.seekId, [idBytes(target)]), fixed(id.seekPosition, position)]),
  );
  return element(id.seekHead, seeks);
}

function cues(points: readonly { timeMs: number; position: number }[]): Buffer {
  const entries = points.map(({ timeMs, position }) =>
    element(id.cuePoint, [
      number(id.cueTime, timeMs),
      element(id.cueTrackPositions, [
        number(id.cueTrack, 1),
        fixed(id.cueClusterPosition, position),
      ]),
    ]),
  );
  return element(id.cues, entries);
}

function clustersOf(
  track: VideoTrack,
  frames: readonly Buffer[],
): { timeMs: number; data: Buffer }[] {
  const clusters: { timeMs: number; data: Buffer }[] = [];
  for (let start = 0; start < frames.length; start += track.fps) {
    const timeMs = Math.round((start / track.fps) * 1000);
    const blocks = frames.slice(start, start + track.fps).map((frame, index) => {
      const prefix = Buffer.from([0x81, 0, 0, 0x80]);
      prefix.writeInt16BE(Math.round(((start + index) / track.fps) * 1000) - timeMs, 1);
      return element(id.simpleBlock, [prefix, frame]);
    });
    clusters.push({ timeMs, data: element(id.cluster, [number(id.timestamp, timeMs), ...blocks]) });
  }
  return clusters;
}

function element(name: number, content: readonly Buffer[]): Buffer {
  const size = content.reduce((sum, part) => sum + part.length, 0);
  const length = size < 0x7f ? 1 : size < 0x3fff ? 2 : 4;
  const coded = Buffer.alloc(length);
  coded.writeUIntBE(size, 0, length);
  coded[0] = (coded[0] ?? 0) | (0x100 >> length);
  return Buffer.concat([idBytes(name), coded, ...content]);
}

function idBytes(name: number): Buffer {
  return Buffer.from(name.toString(16), "hex");
}

function number(name: number, value: number): Buffer {
  const hex = value.toString(16);
  return element(name, [Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")]);
}

function fixed(name: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return element(name, [bytes]);
}

function float(name: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(name, [bytes]);
}

function text(name: number, value: string): Buffer {
  return element(name, [Buffer.from(value, "latin1")]);
}
