/** The program of a decoder process: `decoders.ts` starts it, and is the only one to talk to it. */
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { eachLimited } from "../lib/concurrency.ts";
import { sha256 } from "../lib/digest.ts";
import type {
  DecoderAnswer,
  DecoderQuestion,
  RenderedFile,
  RenderTask,
} from "./decoder-messages.ts";
import { DecodeError, encodeRenditions } from "./encode.ts";
import { inspectFile, reasonOf } from "./inspect.ts";

/** When memory runs out, this process goes, not the run: 0 is usual, 1000 the first to go. */
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
    // No memory, or an encoder that gives up: only this picture is known to cause it.
    return { answer: "failed", reason: reasonOf(error) };
  }
}

async function render(task: RenderTask): Promise<DecoderAnswer> {
  const { plans, targets } = task;
  const warnings: string[] = [];
  const files: RenderedFile[] = [];
  const encoded = encodeRenditions(task, (warning) => warnings.push(warning));
  // The disk takes one file while the next ones are encoded.
  await eachLimited(encoded, targets.length, async ({ plan, format, bytes }) => {
    const target = targets[files.length] as string;
    files.push({ plan: plans.indexOf(plan), format, blob: sha256(bytes), bytes: bytes.length });
    await writeFile(target, bytes, { flush: true });
  });
  return { answer: "rendered", files, warnings };
}

function standBack(): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/self/oom_score_adj", outOfMemoryScore);
  } catch {
    // A sandbox without it loses a precaution only.
  }
}

/** For when nobody is left to take the answer. */
function endAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}

process.on("disconnect", endAtOnce);
// The terminal sends these to its whole process group. The process that asks decides when the work is done.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
standBack();
process.on("message", async (question) => {
  process.send?.(await answerTo(question as DecoderQuestion));
});
if (process.connected) process.send?.("ready");
else endAtOnce();
