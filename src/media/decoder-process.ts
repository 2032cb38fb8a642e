/** The program of a decoder process, which `decoders.ts` starts and asks. */
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { eachLimited } from "../lib/concurrency.ts";
import { sha256 } from "../lib/digest.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import type { DecoderAnswer, DecoderQuestion, RenderedFile } from "./decoders.ts";
import { DecodeError, encodeRenditions, type RenderTask } from "./encode.ts";
import { inspectFile, reasonOf } from "./inspect.ts";

/** When memory runs out, the system kills this process, not the run: 0 is usual, 1000 goes first. */
const outOfMemoryScore = "800";

async function answerTo(question: DecoderQuestion): Promise<DecoderAnswer> {
  try {
    if (question.ask === "render") return await render(question.task);
    return { answer: "facts", facts: await inspectFile(question.path, question.said) };
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

async function render(task: RenderTask): Promise<DecoderAnswer> {
  const { plans, targets } = task;
  const warnings: string[] = [];
  const files: RenderedFile[] = [];
  let thumbHash: string | undefined;
  const encoded = encodeRenditions(
    task,
    (warning) => warnings.push(warning),
    (hash) => {
      thumbHash = hash;
    },
  );
  // The disk takes one file while the next ones are encoded.
  await eachLimited(encoded, targets.length, async ({ plan, format, bytes }) => {
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
// Only Linux has this file, and not in each sandbox. It is a precaution.
orUndefined(() => writeFileSync("/proc/self/oom_score_adj", outOfMemoryScore));
process.on("message", async (question) => {
  process.send?.(await answerTo(question as DecoderQuestion));
});
if (process.connected) process.send?.("ready");
else endAtOnce();
