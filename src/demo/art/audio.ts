import { dice } from "../random.ts";

/** Samples per second. */
const rate = 11_025;

/** Semitones of the major scale without its half steps: any two of them sound well together. */
const scale = [0, 2, 4, 7, 9, 12, 14, 16];

/** WAV file (PCM, 16 bit, mono) of a slow melody of plucked notes. */
export function makeAudio({ seed, seconds }: { seed: number; seconds: number }): Buffer {
  const throws = dice(seed);
  const samples = new Float64Array(seconds * rate);
  const root = throws.between(200, 330);
  for (let start = 0; start < samples.length; start += rate * 0.3) {
    const pitch = root * 2 ** (throws.pick(scale) / 12);
    addNote(samples, Math.floor(start), pitch);
    if (throws.chance(30)) addNote(samples, Math.floor(start), pitch / 2);
  }
  const peak = samples.reduce((loudest, value) => Math.max(loudest, Math.abs(value)), 0);
  const wav = Buffer.alloc(44 + samples.length * 2);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(samples.length * 2, 40);
  for (const [at, value] of samples.entries()) {
    const fade = Math.min(1, (samples.length - at) / rate);
    wav.writeInt16LE(Math.round((value / peak) * fade * 29_000), 44 + at * 2);
  }
  return wav;
}

function addNote(samples: Float64Array, start: number, pitch: number): void {
  const end = Math.min(samples.length, start + rate);
  for (let at = start; at < end; at += 1) {
    const time = (at - start) / rate;
    const phase = 2 * Math.PI * pitch * time;
    const loudness = Math.min(1, time / 0.01) * Math.exp(-4 * time);
    samples[at] = (samples[at] ?? 0) + loudness * (Math.sin(phase) + 0.3 * Math.sin(2 * phase));
  }
}
