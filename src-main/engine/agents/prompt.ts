/** What an agent is told: its prompt before an iteration, and what comes while it works. */

import { conflictPlaces } from "#shared/domain/conflict/conflict-places.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import {
  type PromptText,
  prompt,
  promptLine,
  quoteText,
  resourceText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { PromptFacts } from "../../agent/loop.ts";
import { loadPrompt } from "../../config/resources-folder.ts";
import { ToolFailure } from "../../tools/tool-interface.ts";
import type { PromptAbout } from "../kernel/agent-work.ts";
import { continuedSections, promptSections } from "../kernel/prompt-sections.ts";
import { allMessages, markDelivered, messagesFor, user } from "../orchestrators/messages.ts";
import type { Assignment, Run, RunReader } from "../ports.ts";
import { originOf } from "../workers/attempts.ts";
import { lenderOf } from "../workers/inherited-context.ts";
import { checksOf } from "../workspaces/check-options.ts";
import type { CheckoutHandle } from "../workspaces/workspace-interface.ts";

export type Prompts = ReturnType<typeof createPrompts>;

export function createPrompts(
  run: Run,
  assignment: Assignment,
  saved: { conflicts(): readonly string[]; commit(): string | null },
  workspace: CheckoutHandle,
) {
  const { worker: name } = assignment;
  const taskNow = () => [assignment.heading, ...assignment.description()].join("\n").trim();
  let task = taskNow();
  let delivered: readonly MessageView[] = [];
  let deliveredUpdates = 0;
  const markWordsRead = (): void => {
    for (const { agents } of run.features) agents?.interruptions?.read(run, name);
  };
  return {
    /** @param isContinued in the conversation that it finished its work in, which has the task */
    async build(facts: PromptFacts, isContinued: boolean): Promise<PromptText> {
      deliveredUpdates = run.worker(name).record.trunkSync?.updates.length ?? 0;
      delivered = messagesFor(run, name);
      markDelivered(run, name, delivered);
      task = taskNow();
      const commit = facts.iteration > 1 ? saved.commit() : null;
      const built = forkPrompt(
        run,
        name,
        facts.iteration,
        agentPrompt(
          run,
          {
            ...assignment,
            facts,
            messages: delivered,
            conflicts: saved.conflicts(),
            conflictPlaces: isContinued ? await placesInConflict(workspace, saved.conflicts()) : [],
            checks: await checksOf(run, name),
            diff:
              commit === null
                ? null
                : shortenedDiff(await run.repository.diff({ commit, limit: maxDiffLength })),
          },
          isContinued,
        ),
      );
      markWordsRead();
      return built;
    },
    /** Messages that came with the last prompt. */
    delivered: () => delivered,
    /** They came with the prompt before the pause. @param messages change ids */
    wereDelivered(messages: readonly string[]): void {
      delivered = allMessages(run).filter(({ changeId }) => messages.includes(changeId));
    },
    /** The user's messages since the last prompt, and what else came up, for a running conversation; null if nothing. */
    wordOnTheWay(): PromptText | null {
      const updates = messagesFor(run, name).filter(
        ({ from, changeId }) => from === user && !delivered.some((one) => one.changeId === changeId),
      );
      const others = run.features.flatMap(({ agents }) => agents?.interruptions?.word(run, name) ?? []);
      markWordsRead();
      if (updates.length === 0) return others.length === 0 ? null : prompt(...others);
      delivered = [...delivered, ...updates];
      markDelivered(run, name, updates);
      return prompt(
        ...others,
        promptLine`[NOTE] The user writes to you while you work. Do what it says, then go on with your task.`,
        ...updates.map(({ text }) => section("Message", [quoteText(text)])),
      );
    },
    forgetDelivered(): void {
      delivered = [];
    },
    /** How many updates the last prompt contained. */
    deliveredUpdates: () => deliveredUpdates,
    /** The task has changed since the last prompt. */
    isTaskChanged: () => task !== taskNow(),
  };
}

/**
 * The first prompt of an agent in another one's conversation: forked by the user, or inherited. It says who
 * the agent is now and what differs from the history; then the state of its task, as in every prompt.
 */
function forkPrompt(run: RunReader, worker: string, iteration: number, current: PromptText): PromptText {
  if (iteration !== 1) return current;
  const origin = originOf(run, worker);
  if (origin === null) return inheritedPrompt(run, worker, current);
  return prompt(
    promptLine`[FORK] The user forked this conversation here. Everything above is from ${origin.worker}, which continues separately. From here on you are ${worker}: the task is the same, and you have your own change and workspace.`,
    section("Your files", [quoteText(origin.files)]),
    section("The user says", origin.words === "" ? [] : [quoteText(origin.words)]),
    section("Current state", [current]),
  );
}

/** The history before is its orchestrator's, whose system prompt and tools it uses meanwhile. */
function inheritedPrompt(run: RunReader, worker: string, current: PromptText): PromptText {
  const lender = lenderOf(run, worker, 1);
  if (lender === null) return current;
  return prompt(
    promptLine`[FORK] The conversation above belongs to ${lender}, which continues without you. From here on you are ${worker}: you do one task of its plan, in your own change and workspace. Files may differ there from the text above: read one before you write it.`,
    section("Your instructions from here on", [
      resourceText(loadPrompt("agent", { name: worker, role: worker })),
      promptLine``,
      promptLine`Tools that these do not name are for ${lender} and are refused.`,
    ]),
    section("Current state", [current]),
  );
}

/** The whole task of an agent, because an iteration begins in a fresh context; where it does not, only what is new. */
const agentPrompt = (run: Run, about: PromptAbout, isContinued: boolean): PromptText =>
  prompt(
    ...(isContinued ? [about.heading] : []),
    ...(isContinued ? continuedSections : promptSections).flatMap((name) =>
      run.features.flatMap(({ agents }) => agents?.prompt?.[name]?.(run, about) ?? []),
    ),
  );

/** Every later prompt carries it, so it must leave room for the task. */
const maxDiffLength = 12_000;

/** A diff that leaves room for the task: cut at a line, and says that it was cut. */
export function shortenedDiff(diff: string): string {
  if (diff.length <= maxDiffLength) return diff.trimEnd();
  const end = diff.lastIndexOf("\n", maxDiffLength);
  return `${startOf(diff, end > 0 ? end : maxDiffLength)}\n[cut: read the files for the rest]`;
}

/** Of the places in conflict of all files; beyond it, reading the parts that matter costs less. */
const maxCharacters = 12_000;

/**
 * The places in conflict, for an agent that knows its side of them: it need not read the files again.
 * @returns nothing of files that do not fit, or hold no marker, such as one that one side deleted
 */
async function placesInConflict(
  workspace: CheckoutHandle,
  paths: readonly string[],
): Promise<readonly PromptText[]> {
  const shown: PromptText[] = [];
  let left = maxCharacters;
  for (const path of paths) {
    const places = conflictPlaces(await textOf(workspace, path));
    const size = places.reduce((sum, { text }) => sum + text.length, 0);
    if (size > left) continue;
    left -= size;
    for (const { from, to, text } of places)
      shown.push(promptLine`- ${shownName(path)}, lines ${from} to ${to}:`, quoteText(text));
  }
  return shown;
}

/** Empty where it is no text, or is gone. */
async function textOf(workspace: CheckoutHandle, path: string): Promise<string> {
  try {
    return (await workspace.files().readText(path)).text;
  } catch (error) {
    if (error instanceof ToolFailure) return "";
    throw error;
  }
}
