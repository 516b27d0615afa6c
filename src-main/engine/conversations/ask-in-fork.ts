/** A user's question, answered in a fork of a conversation, which is not affected. */
import { check } from "#shared/domain/spending/budget.ts";
import { prompt, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import type { Conversation, ResumeToken, TurnEnd } from "../../agent/agent-interface.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { budgetState, spentBudgetOf } from "../workers/worker-limits.ts";
import { describeTurnEnd } from "./conversation-factory.ts";

/** What a user asks an agent, without anything of it reaching the work. */
export interface UserQuestion {
  /** The name of the asked worker. */
  readonly who: string;
  readonly text: string;
  /** Hears the answer as it comes. */
  readonly onText: (text: string) => void;
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export interface UserAnswer {
  readonly text: string;
  /** Its cost, charged to the asked worker. */
  readonly microDollars: number;
}

/** An answer that begins with tool calls is told that it cannot use them and still has a turn left. */
const maxTurns = 4;

const refusal =
  "No tool is executed here: the user only has a question. Answer in plain text, from what you know.";

/**
 * @param question `who` is the worker that pays
 * @param origin with everything that the answer needs
 * @returns the answer and the fork's position
 * @throws EngineRefusal if there is no answer
 */
export async function askInFork(
  run: Run,
  question: UserQuestion,
  origin: Conversation,
): Promise<UserAnswer & { readonly token: ResumeToken }> {
  const { who } = question;
  refuseSpent(run, who);
  let microDollars = 0;
  const fork = origin.fork({
    suffix: prompt(
      promptLine`[QUESTION] The user has a side question. Answer in plain text from what you know; tool calls are not executed. Your work continues unchanged afterwards.`,
      quoteText(question.text),
    ),
    adaptTool: (tool) => ({
      ...tool,
      run: async () => ({ ok: false, error: "not-allowed", output: refusal }),
    }),
    maxTurns: maxTurns,
    requester: `${run.id}/${who}/question`,
    // The user may ask while a run is paused; the budget still applies.
    gate: () => (isSpent(run, who) ? "budget" : null),
    onEntry: (entry) => {
      if (entry.kind === "text") question.onText(entry.text);
    },
    onSpent(spent, model) {
      microDollars += spent.microDollars;
      const { contextTokens } = run.worker(who);
      run.spend(who, spent, model);
      // The fork must not overwrite the worker's own context use.
      run.worker(who).contextTokens = contextTokens;
    },
  });
  const end = await fork.run(null, AbortSignal.any([question.signal, run.runEnded.signal]));
  const text = answerOf(run, who, end);
  run.appendTranscript(who, { kind: "aside", question: question.text, answer: text, microDollars });
  return { text, microDollars, token: fork.token };
}

function answerOf(run: Run, who: string, end: TurnEnd): string {
  if (end.kind === "ended" && end.text.trim() !== "") return end.text;
  if (end.kind === "failed") throw end.error;
  if (end.kind === "gate") refuseSpent(run, who);
  throw new EngineRefusal(
    end.kind === "aborted"
      ? "The question was cancelled."
      : `${who} gave no answer: ${describeTurnEnd(end)}.`,
    "Rephrase the question and ask again.",
  );
}

const isSpent = (run: Run, who: string): boolean =>
  budgetState(run) === "exhausted" || spentBudgetOf(run, who) !== null;

function refuseSpent(run: Run, who: string): void {
  const holder = spentBudgetOf(run, who);
  const isRuns = check(run.facts.limits, run.spending.total).kind === "exhausted";
  if (holder === null && !isRuns) return;
  throw new EngineRefusal(
    `The budget of ${isRuns ? "the run" : holder} is spent.`,
    `Raise it first: hox budget${isRuns ? "" : ` ${holder}`} --usd …`,
  );
}
