import { createRandom, cycle, mixSeed, type Random } from "./random.ts";

/** Seed and length of a piece of music. */
export interface AudioOptions {
  seed: number;
  /** 8 when left out. */
  seconds?: number;
}

/** Samples per second. */
const rate = 22_050;

/** Chord progressions in steps of the scale, counted from its root. */
const progressions = [
  [0, 5, 3, 4],
  [0, 3, 5, 4],
  [5, 3, 0, 4],
  [0, 4, 5, 3],
  [0, 2, 3, 4],
] as const;

/** Semitones of major, dorian and lydian. */
const scales = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 9, 10],
  [0, 2, 4, 6, 7, 9, 11],
] as const;

/**
 * WAV file (PCM, 16 bit, mono, 22.05 kHz) of a slow melody over soft chords.
 *
 * The loudest sample is at 89 % of full scale, the end fades out.
 */
export function makeAudio({ seed, seconds = 8 }: AudioOptions): Buffer {
  const samples = new Float64Array(Math.max(1, Math.round(seconds * rate)));
  compose(samples, createRandom(mixSeed(seed, 0)));
  addEcho(samples, 0.31, 0.34);
  addEcho(samples, 0.083, 0.18);
  return wavOf(normalised(samples));
}

function compose(samples: Float64Array, random: Random): void {
  const scale = random.pick(scales);
  const root = random.int(45, 52);
  const beat = 60 / random.int(84, 104);
  const progression = random.pick(progressions);
  const pitch = (step: number) => root + 12 * Math.floor(step / 7) + cycle<number>(scale, step);
  const total = samples.length / rate;
  let step = random.int(9, 12);
  for (let bar = 0; bar * 4 * beat < total; bar++) {
    const start = bar * 4 * beat;
    const chord = cycle<number>(progression, bar);
    addTone(samples, pad, { start, length: beat * 4.6, pitch: pitch(chord) - 12, gain: 0.2 });
    for (const third of [0, 2, 4, 6]) {
      const gain = third === 6 ? 0.05 : 0.09;
      addTone(samples, pad, { start, length: beat * 4.6, pitch: pitch(chord + third), gain });
    }
    for (let eighth = 0; eighth < 8; eighth++) {
      // Strong beats take notes of the chord, the others move by a step or rest.
      const strong = eighth % 4 === 0;
      if (!random.chance(strong ? 0.95 : 0.52)) continue;
      step = strong ? nearest(step, chord) : step + random.pick([-2, -1, -1, 1, 1, 2]);
      step = Math.min(16, Math.max(7, step));
      const at = start + eighth * beat * 0.5 + random.range(0, 0.012);
      const gain = (strong ? 0.34 : 0.25) * random.range(0.85, 1.1);
      addTone(samples, pluck, { start: at, length: beat * 3, pitch: pitch(step), gain });
    }
  }
}

interface Tone {
  /** Seconds. */
  start: number;
  length: number;
  /** MIDI note number. */
  pitch: number;
  gain: number;
}

type Voice = (phase: number, time: number, length: number) => number;

/** Bell-like key: the overtones die away faster than the root. */
function pluck(phase: number, time: number): number {
  const attack = Math.min(1, time / 0.006);
  const bright = Math.exp(-time * 7);
  const tone =
    Math.sin(phase + 1.1 * bright * Math.sin(phase * 2)) + 0.2 * bright * Math.sin(phase * 4);
  return tone * attack * Math.exp(-time * 2.6);
}

/** Slow chord tone with two slightly detuned waves. */
function pad(phase: number, time: number, length: number): number {
  const shape = Math.sin(Math.PI * Math.min(1, time / length)) ** 0.8;
  const tone = Math.sin(phase) + 0.6 * Math.sin(phase * 1.004) + 0.22 * Math.sin(phase * 2.001);
  return tone * shape;
}

function addTone(samples: Float64Array, voice: Voice, tone: Tone): void {
  const first = Math.round(tone.start * rate);
  const count = Math.min(samples.length - first, Math.round(tone.length * rate));
  const turn = (2 * Math.PI * 440 * 2 ** ((tone.pitch - 69) / 12)) / rate;
  // The last hundredth of a second falls to nothing, so that a cut tone does not click.
  const release = rate * 0.01;
  for (let index = 0; index < count; index++) {
    const end = Math.min(1, (count - index) / release);
    const value = voice(index * turn, index / rate, tone.length) * tone.gain * end;
    samples[first + index] = (samples[first + index] ?? 0) + value;
  }
}

/** Step of the chord's triad that is closest to the last step. */
function nearest(step: number, chord: number): number {
  let best = chord + 7;
  for (const third of [0, 2, 4, 7, 9, 11, 14]) {
    if (Math.abs(chord + third - step) < Math.abs(best - step)) best = chord + third;
  }
  return best;
}

function addEcho(samples: Float64Array, delaySeconds: number, feedback: number): void {
  const delay = Math.round(delaySeconds * rate);
  for (let index = delay; index < samples.length; index++) {
    samples[index] = (samples[index] ?? 0) + feedback * (samples[index - delay] ?? 0);
  }
}

function normalised(samples: Float64Array): Float64Array {
  const fade = Math.min(samples.length, rate * 1.2);
  const faded = samples.map((value, index) => value * Math.min(1, (samples.length - index) / fade));
  const peak = faded.reduce((loudest, value) => Math.max(loudest, Math.abs(value)), 1e-9);
  return faded.map((value) => (value / peak) * 0.89);
}

function wavOf(samples: Float64Array): Buffer {
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
  for (const [index, value] of samples.entries()) {
    wav.writeInt16LE(Math.round(value * 32_767), 44 + index * 2);
  }
  return wav;
}
