/**
 * A model that goes round in circles: the same calls with the same results, over and over. One call, or a round of two or
 * three.
 */

/** The longest round that is looked for, in calls. */
const maxRoundLength = 3;
/** Rounds after which the model is warned, and again after as many more. */
const roundsBeforeWord = 3;
/** Calls after which nothing more is tried. */
const callsBeforeEnd = 12;
/** As many as the longest round needs to be seen to its end. */
const kept = callsBeforeEnd + maxRoundLength;

export interface Repetition {
  /** Calls in one round. */
  readonly length: number;
  /** How often the round was gone through, the first time included. */
  readonly rounds: number;
}

interface RepeatedCalls {
  /** Relevant calls made so far; oldest first. */
  readonly made: readonly string[];
}

export const noCallsYet: RepeatedCalls = { made: [] };

/**
 * A key that is equal for equal calls with equal results.
 *
 * @param input as the model gave it, plain JSON
 * @param output its result; numbers in it are ignored, since times and sizes may be the only difference
 */
export const sameCall = (tool: string, input: unknown, output: string): string =>
  JSON.stringify([tool, input, output.replaceAll(/\d+(?:[.,:]\d+)*/gu, "#")]);

/** With one more call, and what is now gone through over and over, if anything; of several rounds the shortest. */
export function withCall(
  { made }: RepeatedCalls,
  call: string,
): { readonly calls: RepeatedCalls; readonly repetition: Repetition | null } {
  const now = [...made, call].slice(-kept);
  for (let length = 1; length <= maxRoundLength; length++) {
    let same = 0;
    while (same + length < now.length && now.at(-1 - same) === now.at(-1 - same - length)) same += 1;
    const rounds = Math.floor((same + length) / length);
    if (rounds >= roundsBeforeWord) return { calls: { made: now }, repetition: { length, rounds } };
  }
  return { calls: { made: now }, repetition: null };
}

/** Whether this many rounds are worth a word to the model: at the end of a round, and not after each. */
export const isWorthWord = ({ rounds }: Repetition): boolean => rounds % roundsBeforeWord === 0;

/** Whether nothing else is to be expected. */
export const isEndless = ({ length, rounds }: Repetition): boolean => length * rounds >= callsBeforeEnd;

/** The warning for the model. */
export const formatRepetition = ({ length, rounds }: Repetition, tools: readonly string[]): string =>
  length === 1
    ? `You have called ${tools[0] ?? "the same tool"} ${rounds} times in a row with the same input, and the result was the same each time. Do something else: read the result, look elsewhere, change the files, ask with align_request, or report that you are blocked.`
    : `You are repeating yourself: the same ${length} calls (${tools.join(", ")}) with the same results, ${rounds} times. Do something else: look elsewhere, change the files, ask with align_request, or report that you are blocked.`;
