/** What models answered in a run, as the rows of its conversations hold it. */
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Step } from "../../model/stand-in/script.ts";

/** One prompt, the answers that followed, and what the calls of each came to. */
export interface RecordedRound {
  readonly worker: string;
  readonly prompt: string;
  readonly answers: readonly RecordedAnswer[];
}

export interface RecordedAnswer {
  readonly step: Step;
  /** In the order of the calls. */
  readonly results: readonly string[];
}

interface OpenAnswer {
  thinking: string;
  say: string;
  readonly calls: { readonly id: string; readonly tool: string; readonly input: object }[];
  readonly results: Map<string, string>;
  /** The figures of an answer stand behind its words and before its calls. */
  isCounted: boolean;
}

const noAnswer = (): OpenAnswer => ({
  thinking: "",
  say: "",
  calls: [],
  results: new Map(),
  isCounted: false,
});

/** In the order in which they were asked. */
export function recordedRounds(worker: string, rows: readonly ConversationRow[]): readonly RecordedRound[] {
  const rounds: { readonly prompt: string; readonly answers: RecordedAnswer[] }[] = [];
  let open = noAnswer();
  const close = (): void => {
    const said = answerOf(open);
    if (said) rounds.at(-1)?.answers.push(said);
    open = noAnswer();
  };
  for (const row of rows)
    switch (row.kind) {
      case "prompt":
        close();
        rounds.push({ prompt: row.text, answers: [] });
        break;
      case "thinking":
      case "text":
        if (open.isCounted) close();
        if (row.kind === "text") open.say += row.text;
        else open.thinking += row.text;
        break;
      case "usage":
        if (open.isCounted) close();
        open.isCounted = true;
        break;
      case "tool-call":
        open.calls.push({ id: row.id, tool: row.tool, input: inputOf(row.input) });
        break;
      case "tool-result":
        open.results.set(row.id, row.output);
        break;
      case "retry":
        // Words that broke off are said anew.
        if (open.calls.length === 0) open = noAnswer();
        break;
    }
  close();
  return rounds.map(({ prompt, answers }) => ({ worker, prompt, answers }));
}

function answerOf({ thinking, say, calls, results }: OpenAnswer): RecordedAnswer | null {
  if (say === "" && calls.length === 0) return null;
  return {
    step: {
      ...(thinking === "" ? {} : { thinking }),
      ...(say === "" ? {} : { say }),
      ...(calls.length === 0
        ? {}
        : { calls: calls.map(({ tool, input }) => ({ tool, input: input as Record<string, unknown> })) }),
    },
    results: calls.map(({ id }) => results.get(id) ?? ""),
  };
}

const inputOf = (input: unknown): object => (typeof input === "object" && input !== null ? input : {});
