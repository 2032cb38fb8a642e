import { exitCodes, StoreError } from "../errors.ts";
import { createBudget } from "./budget.ts";
import { type Decoder, DecoderCrash, DecoderNotStarted, startDecoder } from "./decoder.ts";
import type {
  DecoderAnswer,
  DecoderQuestion,
  RenderedFile,
  RenderTask,
} from "./decoder-messages.ts";
import { DecodeError } from "./encode.ts";
import type { FileFacts } from "./facts.ts";

/** Processes that look at pictures and decode them. What ends one of them costs a picture, not the run. */
export interface Decoders {
  /**
   * What a file is; see `inspectFile`.
   *
   * @param said content type of the answer, without parameters
   * @throws DecoderCrash, DecoderFailure, the signal's reason, and the errors of the file system
   */
  inspect(path: string, said: string | undefined): Promise<FileFacts>;
  /**
   * Writes all renditions of a picture; see `encodeRenditions`.
   *
   * @throws DecodeError, DecoderCrash, DecoderFailure, the signal's reason, and the errors of the file system
   */
  render(task: RenderTask): Promise<{ files: RenderedFile[]; warnings: string[] }>;
  /** Ends the processes. Nothing may be asked any more. */
  close(): Promise<void>;
}

export interface DecodersOptions {
  /** Processes at a time; each is started when it is needed. */
  slots: number;
  /** Milliseconds after which a process that does not answer is ended. */
  limitMs?: number | undefined;
  /** Ends the processes; what is asked, or waits to be asked, is rejected with its reason. */
  signal?: AbortSignal | undefined;
}

/** A picture that could not be worked on, for no reason that anybody knows; the message is the decoder's. */
export class DecoderFailure extends Error {}

/** Much more than the largest pictures need; one of sharp's own limits should be met before. */
const defaultLimitMs = 900_000;

/**
 * Makes a pool of decoder processes. A question whose process crashes or hangs is asked once more, of a new
 * process, because the crash can have had another reason than the picture.
 */
export function createDecoders(options: DecodersOptions): Decoders {
  const { slots, limitMs = defaultLimitMs, signal } = options;
  const places = createBudget(slots, slots);
  const idle: Decoder[] = [];
  const busy = new Set<Decoder>();

  function stop(): void {
    for (const decoder of busy) void decoder.end();
  }
  signal?.addEventListener("abort", stop, { once: true });

  async function askOne(decoder: Decoder, question: DecoderQuestion): Promise<DecoderAnswer> {
    busy.add(decoder);
    try {
      const answer = await decoder.ask(question, limitMs);
      idle.push(decoder);
      return answer;
    } catch (error) {
      await decoder.end();
      // It did not crash, but was ended.
      signal?.throwIfAborted();
      throw error;
    } finally {
      busy.delete(decoder);
    }
  }

  function takeOne(): Decoder {
    for (let decoder = idle.pop(); decoder !== undefined; decoder = idle.pop()) {
      if (decoder.running) return decoder;
    }
    return startDecoder();
  }

  function ask(question: DecoderQuestion): Promise<DecoderAnswer> {
    return places.run(1, async () => {
      signal?.throwIfAborted();
      try {
        return await askOne(takeOne(), question);
      } catch (error) {
        if (!(error instanceof DecoderCrash || error instanceof DecoderNotStarted)) throw error;
        return await askOne(startDecoder(), question).catch(rethrow);
      }
    });
  }

  return {
    async inspect(path, said) {
      const answer = await ask({ ask: "inspect", path, said });
      return answer.answer === "facts" ? answer.facts : fail(answer);
    },
    async render(task) {
      const answer = await ask({ ask: "render", task });
      return answer.answer === "rendered" ? answer : fail(answer);
    },
    async close() {
      signal?.removeEventListener("abort", stop);
      await Promise.all(idle.splice(0).map((decoder) => decoder.end()));
    },
  };
}

function rethrow(error: unknown): never {
  if (!(error instanceof DecoderNotStarted)) throw error;
  throw new StoreError(`the image decoder cannot be started: ${error.message}`, {
    cause: error,
    exitCode: exitCodes.disk,
  });
}

/** Throws what a process has answered instead of a result. */
function fail(answer: DecoderAnswer): never {
  if (answer.answer === "refused") {
    throw new DecodeError(answer.reason, { tooLarge: answer.tooLarge });
  }
  if (answer.answer !== "failed") throw new Error(`unexpected answer: ${answer.answer}`);
  const { reason, code } = answer;
  if (code === undefined) throw new DecoderFailure(reason);
  throw Object.assign(new Error(`image decoder: ${reason}`), { code });
}
