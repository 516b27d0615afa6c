/**
 * A worker is asked in a fork of its conversation: it knows what the worker knows, and the worker hears nothing of it. Its next
 * request is the one that it would have been.
 */

import { planText, todosText } from "#shared/domain/orientation/orientation.ts";
import { outcomeText } from "#shared/domain/project/known-failures.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Conversation, ResumeToken } from "../../../../agent/agent-interface.ts";
import { agentPrefix } from "../../../agents/agent-prefix.ts";
import { askInFork } from "../../../conversations/ask-in-fork.ts";
import { conversationFactory } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { PersonAnswer, PersonQuestion } from "../../../kernel/feature.ts";
import { lenderSystem } from "../../../orchestrators/orchestrator-system.ts";
import { toolsFor } from "../../../orchestrators/orchestrator-tools.ts";
import type { Run } from "../../../ports.ts";

export async function askWorker(run: Run, question: PersonQuestion): Promise<PersonAnswer> {
  const { who } = question;
  const { record } = run.worker(who);
  if (!roles[record.role].isListed)
    throw new EngineRefusal(`Validators can't be asked questions.`, `See the reason next to ${who}'s vote.`);
  const origin = (await present(run, record)) ?? (await anew(run, record));
  const { text, microDollars } = await askInFork(run, question, origin);
  return { text, microDollars };
}

/** The conversation that it is in, or the last one that was kept. */
async function present(run: Run, record: WorkerRecord): Promise<Conversation | null> {
  const { name, iteration } = record;
  const { open } = run.worker(name);
  if (open !== null) return open.conversation;
  const left = run.journal.openConversation(run.id, name)?.token;
  if (left) return begun(run, record, left, iteration + 1);
  const kept = run.journal.keptConversation(run.id, name, iteration);
  const token = kept === null || kept === "made-way" ? run.journal.history(run.id, name) : kept.token;
  return token === null ? null : begun(run, record, token, iteration);
}

/** One that has not begun, or whose conversation was not kept, is told where it is. */
async function anew(run: Run, record: WorkerRecord): Promise<Conversation> {
  const conversation = await begun(run, record, null, record.iteration + 1);
  const { summary, remarks, checks, name, title } = record;
  const value = run.services.orientation.of(name)?.value ?? null;
  const lines: readonly PromptText[] = [
    section("Task", [promptLine`- ${title}`]),
    section("Plan", value?.plan ? [promptLine`- Goal: ${value.goal}`, quoteText(planText(value.plan))] : []),
    section("Your steps so far", value && value.todos.length > 0 ? [quoteText(todosText(value.todos))] : []),
    section(
      "Decisions",
      (value?.decisions ?? []).map((one) => promptLine`- ${one.title}: ${one.reason}`),
    ),
    section(
      "Your notes so far",
      remarks.map((note) => promptLine`- ${note}`),
    ),
    section("What you said of your work", summary === "" ? [] : [quoteText(summary)]),
    section(
      "Last checks",
      checks.map((one) => promptLine`- ${one.name}: ${outcomeText[one.outcome]}`),
    ),
  ];
  return withFirstPrompt(conversation, prompt(promptLine`[TASK] This is where your work stands.`, ...lines));
}

/** The same, as if it had been told something before it is forked. */
const withFirstPrompt = (conversation: Conversation, first: PromptText): Conversation => ({
  ...conversation,
  fork: (options) => conversation.fork({ ...options, suffix: prompt(first, options.suffix) }),
});

/** A conversation of a worker's own kind, in words and tools. Nothing that it says is kept. */
async function begun(
  run: Run,
  { name, role }: WorkerRecord,
  token: ResumeToken | null,
  iteration: number,
): Promise<Conversation> {
  const { isLead, canIntegrate, hasIterations } = roles[role];
  if (!isLead && !hasIterations)
    throw new EngineRefusal(`${name} has no open conversation.`, "Ask it while it is working.");
  const start = await conversationFactory(run, name, {
    ...(isLead
      ? {
          system: lenderSystem(run, name),
          tools: toolsFor(run, name, { event: "user message", key: "" }),
        }
      : agentPrefix(run, name, iteration, canIntegrate ? "integrator" : "agent")),
    place: run.workspaces.of(name) ?? run.workspaces.home(),
    gate: () => null,
  });
  return start({ token });
}
