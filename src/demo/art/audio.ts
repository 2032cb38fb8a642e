import { dice } from "../../lib/random.ts";

/** Samples per second. */
const rate = 11_025;

/** Major scale without its half steps: any two notes sound well together. */
const scale = [0, 2, 4, 7, 9, 12, 14, 16];

/** WAV file (PCM, 16 bit, mono) of plucked notes. */
export function makeAudio({ seed, seconds }: { seed: number; seconds: number }): Buffer {
  const throws = dice(seed);
  const samples = new Int16Array(seconds * rate);
  const note = Math.round(rate * 0.3);
  for (let start = 0; start < samples.length; start += note) {
    const turn = (2 * Math.PI * 220 * 2 ** (throws.pick(scale) / 12)) / rate;
    for (let at = 0; at < note && start + at < samples.length; at += 1) {
      const wave = Math.sin(turn * at) + 0.3 * Math.sin(2 * turn * at);
      // Each note begins softly and has died away when the next one starts.
      const loudness = Math.min(1, at / 80) * Math.exp((-5 * at) / note) * (1 - at / note);
      const fade = Math.min(1, (samples.length - start - at) / 800);
      samples[start + at] = Math.round(24_000 * wave * loudness * fade);
    }
  }
  const head = Buffer.alloc(44);
  head.write("RIFF    WAVEfmt ", "latin1");
  head.writeUInt32LE(36 + samples.byteLength, 4);
  const format = [16, 0, 1, 1, rate, 0, rate * 2, 0, 2, 16];
  for (const [at, value] of format.entries()) head.writeUInt16LE(value, 16 + at * 2);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}
