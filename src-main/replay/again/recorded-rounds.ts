/** What models answered in a run, as the rows of its conversations hold it. */
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Usage } from "#shared/domain/spending/usage.ts";
import type { Step } from "../../model/stand-in/script.ts";

/** One prompt, the answers that followed, and what the calls of each came to. */
export interface RecordedRound {
  readonly worker: string;
  readonly prompt: string;
  /** ms since 1970: when it was asked. */
  readonly at: number;
  readonly answers: readonly RecordedAnswer[];
}

interface RecordedAnswer {
  readonly step: Step;
  /** In the order of the calls. */
  readonly results: readonly RecordedResult[];
  /** ms since 1970: when all of it was said. */
  readonly at: number;
}

interface RecordedResult {
  readonly output: string;
  readonly isError: boolean;
}

interface OpenAnswer {
  thinking: string;
  say: string;
  readonly calls: { readonly id: string; readonly tool: string; readonly input: object }[];
  readonly results: Map<string, RecordedResult>;
  at: number;
  /** The figures of an answer stand behind its words and before its calls; null: not yet. */
  usage: Usage | null;
}

const noAnswer = (): OpenAnswer => ({
  thinking: "",
  say: "",
  calls: [],
  results: new Map(),
  at: 0,
  usage: null,
});

/** In the order in which they were asked. */
export function recordedRounds(worker: string, rows: readonly ConversationRow[]): readonly RecordedRound[] {
  const rounds: { readonly prompt: string; readonly at: number; readonly answers: RecordedAnswer[] }[] = [];
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
        rounds.push({ prompt: row.text, at: row.at, answers: [] });
        break;
      case "thinking":
      case "text":
        if (open.usage !== null) close();
        open.at = row.at;
        if (row.kind === "text") open.say += row.text;
        else open.thinking += row.text;
        break;
      case "usage":
        if (open.usage !== null) close();
        open.usage = row.usage;
        open.at = row.at;
        break;
      case "tool-call":
        open.at = Math.max(open.at, row.at);
        open.calls.push({ id: row.id, tool: row.tool, input: inputOf(row.input) });
        break;
      case "tool-result":
        open.results.set(row.id, { output: row.output, isError: row.error !== null });
        break;
      case "retry":
        // Words that broke off are said anew.
        if (open.calls.length === 0) open = noAnswer();
        break;
    }
  close();
  return rounds.map((round) => ({ worker, ...round }));
}

function answerOf({ thinking, say, calls, results, usage, at }: OpenAnswer): RecordedAnswer | null {
  if (say === "" && calls.length === 0) return null;
  return {
    step: {
      ...(thinking === "" ? {} : { thinking }),
      ...(say === "" ? {} : { say }),
      ...(calls.length === 0
        ? {}
        : { calls: calls.map(({ tool, input }) => ({ tool, input: input as Record<string, unknown> })) }),
      // What was spent then is spent now, so that limits hold where they held.
      ...(usage === null ? {} : { usage }),
    },
    results: calls.map(({ id }) => results.get(id) ?? { output: "", isError: false }),
    at,
  };
}

const inputOf = (input: unknown): object => (typeof input === "object" && input !== null ? input : {});
