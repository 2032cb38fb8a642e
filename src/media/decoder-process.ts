/** The program of a decoder process, which `decoders.ts` starts and asks. */
import { writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { eachLimited } from "../lib/concurrency.ts";
import { sha256 } from "../lib/digest.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import type { DecoderAnswer, DecoderQuestion, RenderedFile, StripTask } from "./decoders.ts";
import { DecodeError, encodeRenditions, type RenderTask } from "./encode.ts";
import { inspectFile, reasonOf } from "./inspect.ts";
import { withoutMetadata } from "./metadata.ts";

async function answerTo(question: DecoderQuestion): Promise<DecoderAnswer> {
  try {
    if (question.ask === "render") return await render(question.task);
    if (question.ask === "strip") return await strip(question.task);
    return { answer: "facts", facts: await inspectFile(question.path, question) };
  } catch (error) {
    if (error instanceof DecodeError) {
      return { answer: "refused", reason: error.message, tooLarge: error.tooLarge };
    }
    if (error instanceof Error && "syscall" in error && "code" in error) {
      return { answer: "failed", reason: error.message, code: String(error.code) };
    }
    // No memory, or an encoder that gives up: only this picture is known to cause that.
    return { answer: "failed", reason: reasonOf(error) };
  }
}

async function strip({ path, type, what, target }: StripTask): Promise<DecoderAnswer> {
  const bytes = withoutMetadata(await readFile(path), type, what);
  if (bytes === undefined) return { answer: "stripped", copy: null };
  await writeFile(target, bytes, { flush: true });
  return { answer: "stripped", copy: { blob: sha256(bytes), bytes: bytes.length } };
}

async function render(task: RenderTask): Promise<DecoderAnswer> {
  const { plans, targets } = task;
  const warnings: string[] = [];
  const files: RenderedFile[] = [];
  let thumbHash: string | undefined;
  async function* encoded() {
    thumbHash = yield* encodeRenditions(task, (warning) => warnings.push(warning));
  }
  // The disk takes one file while the next ones are encoded.
  await eachLimited(encoded(), targets.length, async ({ plan, format, bytes }) => {
    const target = targets[files.length] as string;
    files.push({ plan: plans.indexOf(plan), format, blob: sha256(bytes), bytes: bytes.length });
    await writeFile(target, bytes, { flush: true });
  });
  return { answer: "rendered", files, warnings, thumbHash };
}

/** Nobody is left to take the answer. */
function endAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}

process.on("disconnect", endAtOnce);
// The terminal sends these to its whole process group, but the process that asks decides when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
// Only Linux has these files, and not in each sandbox. They are precautions.
// When memory runs out, the system kills this process, not the run: 0 is usual, 1000 goes first.
orUndefined(() => writeFileSync("/proc/self/oom_score_adj", "800"));
// A core dump that goes to a program instead of a file knows no limit of size: it holds nothing.
orUndefined(() => writeFileSync("/proc/self/coredump_filter", "0"));
process.on("message", async (question) => {
  process.send?.(await answerTo(question as DecoderQuestion));
});
if (process.connected) process.send?.("ready");
else endAtOnce();
