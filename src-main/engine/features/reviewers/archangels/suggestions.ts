/** What becomes of a suggestion: nothing, until the user or the orchestrator that it concerns takes it. (AX-11) */

import { archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { type SuggestionRecord, suggestionKey } from "#shared/domain/archangel/archangel-records.ts";
import type { PlannedTask } from "#shared/domain/plan/plan.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { type PromptText, promptLine } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import { inform, warn } from "../../../kernel/notify.ts";
import { addressOf, listenersTo, sendMessage } from "../../../orchestrators/messages.ts";
import type { Card, Run, RunReader } from "../../../ports.ts";
import { parentOf, rootOf } from "../../../workers/hierarchy.ts";
import { amendPlan } from "../../planning/planning/plan-editing.ts";

/** Safe to repeat: what was answered before is carried out once. */
export async function putSuggestion(run: Run, suggestion: SuggestionRecord): Promise<void> {
  const { id } = suggestion;
  if (suggestion.takenBy !== undefined) return asTask(run, id);
  const answer = await run.inbox.ask(cardId(run, id), () => cardOf(run, suggestion));
  if (run.runEnded.signal.aborted) throw new Interrupted();
  // A card is withdrawn with a refusal, which is no user's here.
  if (suggestionNamed(run, id)?.takenBy !== undefined) return asTask(run, id);
  switch (answer.kind) {
    case "task":
      return asTask(run, id);
    case "message":
      return asMessage(run, suggestion, answer.to);
    case "idea":
      return asIdea(run, suggestion);
    case "reject":
      run.journal.together(() => {
        run.journal.refuseSuggestion(suggestionKey(suggestion));
        run.append({ kind: "SuggestionDecided", suggestion: id, as: "refused" });
      });
  }
}

/** What an orchestrator may make a task of its plan, as lines of a prompt. */
export const suggestionLines = (run: RunReader, orchestrator: string): readonly PromptText[] =>
  openTo(run, orchestrator).map(
    ({ id, agent, suggestion, context }) =>
      promptLine`- ${id}, from ${agent}: ${suggestion}. ${startOf(context, 500)}`,
  );

const openTo = (run: RunReader, orchestrator: string): readonly SuggestionRecord[] =>
  run.facts.archangels.suggestions.filter(
    (one) => one.state === "open" && one.takenBy === undefined && planner(run, one) === orchestrator,
  );

/** Why an orchestrator cannot take a suggestion, in words for it; null where it can, or has. */
export function whyNotTaken(run: Run, orchestrator: string, id: string): string | null {
  const all = run.facts.archangels.suggestions;
  if (all.some((one) => one.id === id && one.takenBy === orchestrator)) return null;
  const open = openTo(run, orchestrator);
  const suggestion = open.find((one) => one.id === id);
  if (!suggestion || run.journal.inboxItem(cardId(run, id))?.decision)
    return `No suggestion ${id} waits for you. There are: ${open.map((one) => one.id).join(", ") || "none"}.`;
  const refusal = whyNoTask(run, suggestion);
  return refusal && `${refusal.message} ${refusal.remedy}`;
}

/**
 * An orchestrator makes a suggestion a task of its plan, and the user's card is withdrawn. Safe to repeat.
 * @returns whether it is a task now
 */
export async function takeSuggestion(run: Run, orchestrator: string, id: string): Promise<boolean> {
  if (suggestionNamed(run, id)?.takenBy === undefined) {
    run.append({ kind: "SuggestionTaken", suggestion: id, by: orchestrator });
    run.inbox.withdraw((one) => one.id === cardId(run, id), `${orchestrator} turned it into a task.`);
  }
  await asTask(run, id);
  return suggestionNamed(run, id)?.state === "task";
}

const suggestionNamed = (run: RunReader, id: string): SuggestionRecord | undefined =>
  run.facts.archangels.suggestions.find((one) => one.id === id);

const cardId = (run: RunReader, id: string): string => `${run.id}/suggestion/${id}`;

function cardOf(run: Run, suggestion: SuggestionRecord): Extract<Card, { kind: "suggestion" }> {
  const { id: _, at: __, state: ___, ...content } = suggestion;
  return {
    kind: "suggestion",
    ...content,
    recipients: recipientsFor(run, suggestion.session),
    canBeTask: whyNoTask(run, suggestion) === null,
  };
}

/** Agents that still read messages, the one whose work led to it first. */
function recipientsFor(run: RunReader, session: string | null): readonly string[] {
  const all = [...run.workers.values()].flatMap(({ record: { name, role } }) =>
    roles[role].hasIterations && listenersTo(run, addressOf(run, name)).includes(name) ? [name] : [],
  );
  return session !== null && all.includes(session)
    ? [session, ...all.filter((name) => name !== session)]
    : all;
}

/** Whose plan takes the task: the one that the work is of, else the run's. */
const planner = (run: RunReader, { session }: SuggestionRecord): string =>
  session !== null && run.workers.has(session) && !roles[run.worker(session).record.role].isLead
    ? parentOf(run, session)
    : rootOf(run);

/** Why the plan takes no task now; null where it does. */
export function whyNoTask(run: RunReader, suggestion: SuggestionRecord): EngineRefusal | null {
  const name = planner(run, suggestion);
  const { stage } = run.stateOf(name).current;
  if (stage === "executing" && run.orchestratorFacts(name).planApproved) return null;
  return new EngineRefusal(
    "The plan can't take new tasks now.",
    "Tasks can be added while agents work on tasks. Save the suggestion as an idea, or send it to an agent.",
  );
}

/** At the end of the phase that is worked on: nothing waits for it, and it waits for nothing. */
function taskOf(run: RunReader, suggestion: SuggestionRecord): PlannedTask {
  const { current } = run.stateOf(planner(run, suggestion));
  const { agent, session, files, priority } = suggestion;
  return {
    id: `${suggestion.id}`,
    title: suggestion.suggestion,
    description: `${suggestion.context}\n\nSuggested by the archangel ${agent}${session === null ? "" : ` after reviewing ${session}`}, and taken by ${suggestion.takenBy ?? "the user"}.`,
    phase: current.stage === "executing" ? Math.max(1, current.phase) : 1,
    priority,
    files,
    after: [],
  };
}

/** One after another: a card that is withdrawn and the orchestrator that took the suggestion meet here. */
const asTask = (run: Run, id: string): Promise<void> =>
  run.serial.run(`suggestion/${id}`, async () => {
    const suggestion = suggestionNamed(run, id);
    if (suggestion?.state === "open") await addTask(run, suggestion);
  });

async function addTask(run: Run, suggestion: SuggestionRecord): Promise<void> {
  const name = planner(run, suggestion);
  const task = taskOf(run, suggestion);
  const { takenBy } = suggestion;
  const isThere = (): boolean =>
    run.orchestratorFacts(name).plan?.tasks.some(({ id }) => id === task.id) ?? false;
  try {
    if (!isThere()) await amendPlan(run, name, [{ kind: "add", task }], takenBy);
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    // Nothing that was taken is lost.
    asIdea(run, suggestion);
    warn(
      run,
      `"${suggestion.suggestion}" could not become a task and was saved as an idea: ${error.message}`,
      error.remedy,
    );
    return;
  }
  run.append({ kind: "SuggestionDecided", suggestion: suggestion.id, as: "task" });
  if (takenBy !== undefined)
    inform(
      run,
      `${takenBy} turned a suggestion of ${suggestion.agent} into a task: ${suggestion.suggestion}`,
      "Abandon the task if you do not want it.",
    );
}

async function asMessage(run: Run, suggestion: SuggestionRecord, to: string): Promise<void> {
  await sendMessage(run, {
    key: `suggestion/${suggestion.id}`,
    from: archangelWorker(suggestion.agent),
    to: addressOf(run, to),
    type: "info",
    text:
      `A background reviewer (${suggestion.agent}) suggests, and the user passes it on to you: ` +
      `${suggestion.suggestion}\n\n${suggestion.context}` +
      (suggestion.files.length === 0 ? "" : `\n\nFiles: ${suggestion.files.join(", ")}`),
  });
  run.append({ kind: "SuggestionDecided", suggestion: suggestion.id, as: "message" });
}

function asIdea(run: Run, suggestion: SuggestionRecord): void {
  run.journal.together(() => {
    run.journal.setIdea({
      id: cardId(run, suggestion.id),
      text: suggestion.suggestion,
      context: suggestion.context,
      files: suggestion.files,
      from: suggestion.agent,
      at: run.now(),
      run: null,
    });
    run.append({ kind: "SuggestionDecided", suggestion: suggestion.id, as: "idea" });
  });
}
