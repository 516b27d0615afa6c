import { ModelError } from "./model-error.ts";

export interface IdleWatch {
  /** A fetch whose response body counts as alive with every byte, pings included. */
  readonly fetch: typeof globalThis.fetch;
  /** Why the answer was ended; null while it was not. */
  readonly problem: ModelError | null;
  /** A real event came: pings alone keep a connection open, but not for ever. */
  event(): void;
  stop(): void;
}

/** How many idle times a server may send nothing but pings. */
const pingsOnly = 4;
/** How many idle times an answer may take in all: an hour, where one is 90 s. The longest answers of any model take less. */
const wholeAnswer = 40;
/** Bytes of one event of a stream, and of a whole answer. */
const maxBytes = { event: 8_000_000, answer: 64_000_000 };

/**
 * Calls `onEnd` once when nothing came for `ms`, when an answer takes `wholeAnswer` times as long, or when it is too large. Counts
 * from now, so it covers a server that never answers too.
 */
export function watchIdle(ms: number, model: string, onEnd: () => void): IdleWatch {
  let problem: ModelError | null = null;
  const end = (kind: "stalled" | "malformed", words: string): void => {
    problem ??= new ModelError(kind, words);
    onEnd();
  };
  const seconds = (times: number): string => `${Math.round((times * ms) / 1000)} s`;
  const after = (times: number, words: string): NodeJS.Timeout =>
    setTimeout(() => end("stalled", words), ms * times);
  const bytes = after(1, `${model} sent nothing for ${seconds(1)}`);
  const events = after(pingsOnly, `${model} sent nothing but pings for ${seconds(pingsOnly)}`);
  const whole = after(wholeAnswer, `${model} did not finish within ${seconds(wholeAnswer)}`);

  return {
    get problem() {
      return problem;
    },
    event() {
      events.refresh();
    },
    stop() {
      for (const timer of [bytes, events, whole]) clearTimeout(timer);
    },
    async fetch(input, init) {
      const response = await globalThis.fetch(input, init);
      bytes.refresh();
      if (!response.body) return response;
      const size = eventSizes();
      const alive = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes.refresh();
          const words = size.add(chunk);
          if (words === null) controller.enqueue(chunk);
          else {
            end("malformed", words);
            controller.error(problem);
          }
        },
      });
      return new Response(response.body.pipeThrough(alive), response);
    },
  };
}

/** Counts the bytes of a stream of events, which end with an empty line. */
export function eventSizes(max = maxBytes): { add(chunk: Uint8Array): string | null } {
  let event = 0;
  let answer = 0;
  let isLineEmpty = true;
  return {
    /** What is wrong with its size so far; null: nothing. */
    add(chunk) {
      answer += chunk.length;
      if (answer > max.answer) return `its response has more than ${max.answer / 1e6} MB`;
      for (const byte of chunk) {
        event += 1;
        if (event > max.event) return `an event of its response has more than ${max.event / 1e6} MB`;
        // Lines end with a line feed, with or without a carriage return before it.
        if (byte === 0x0d) continue;
        if (byte === 0x0a && isLineEmpty) event = 0;
        isLineEmpty = byte === 0x0a;
      }
      return null;
    },
  };
}
