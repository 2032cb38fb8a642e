/** The program of a decoder process: `decoders.ts` starts it, and is the only one to talk to it. */
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { sha256 } from "../lib/digest.ts";
import type {
  DecoderAnswer,
  DecoderQuestion,
  RenderedFile,
  RenderTask,
} from "./decoder-messages.ts";
import { DecodeError, encodeRenditions } from "./encode.ts";
import { inspectFile, reasonOf } from "./inspect.ts";

/** Where memory runs out, this process is to be ended, not the run: 0 is usual, 1000 the first to go. */
const outOfMemoryScore = "800";

async function answerTo(question: DecoderQuestion): Promise<DecoderAnswer> {
  try {
    if (question.ask === "render") return await render(question.task);
    return { answer: "facts", facts: await inspectFile(question.path, question.said) };
  } catch (error) {
    if (error instanceof DecodeError) {
      return { answer: "refused", reason: error.message, tooLarge: error.tooLarge };
    }
    // Memory that is not to be had, an encoder that gives up: only this picture is known to make them.
    if (!isSystemError(error)) return { answer: "failed", reason: reasonOf(error) };
    return { answer: "failed", reason: error.message, code: error.code };
  }
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}

async function render(task: RenderTask): Promise<DecoderAnswer> {
  const { path, image, plans, settings, targets } = task;
  const warnings: string[] = [];
  const warn = (warning: string): void => void warnings.push(warning);
  const writing: Promise<void>[] = [];
  let failure: { error: unknown } | undefined;
  const files: RenderedFile[] = [];
  for await (const one of encodeRenditions(path, image, plans, settings, warn)) {
    const { plan, format, bytes } = one;
    // The disk takes one file while the next ones are encoded.
    const written = writeFile(targets[files.length] as string, bytes, { flush: true });
    writing.push(
      written.catch((error: unknown) => {
        failure ??= { error };
      }),
    );
    const blob = sha256(bytes);
    files.push({ plan: plans.indexOf(plan), format, blob, bytes: bytes.length });
  }
  await Promise.all(writing);
  if (failure !== undefined) throw failure.error;
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

/** Whatever it is busy with: nobody is left to take the answer. */
function endAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}

process.on("disconnect", endAtOnce);
// Those of the terminal go to every process of its group. The one that asks decides when the work is done.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
standBack();
process.on("message", async (question) => {
  process.send?.(await answerTo(question as DecoderQuestion));
});
if (process.connected) process.send?.("ready");
else endAtOnce();
