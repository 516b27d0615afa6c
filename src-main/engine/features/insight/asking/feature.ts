import type { QuestionProgress } from "#shared/contract/commands/worker.ts";
import { planText, todosText } from "#shared/domain/orientation/run-orientation.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Conversation, ResumeToken } from "../../../../agent/agent-interface.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import { agentPrefix } from "../../../agents/conversation.ts";
import { refuseUse } from "../../../conversations/agent-limits.ts";
import { askInFork, type UserAnswer, type UserQuestion } from "../../../conversations/ask-in-fork.ts";
import { conversationFactory } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { createFollowedWork } from "../../../kernel/followed-work.ts";
import { lenderSystem, toolsFor } from "../../../orchestrators/orchestrator-tools.ts";
import type { Run } from "../../../ports.ts";
import { orientationOf } from "../../agents/orientation/feature.ts";
import { askArchangel } from "../../reviewers/archangels/feature.ts";

const archangelNames = (run: Run): readonly string[] =>
  archangelsOf(run.config).flatMap(({ name, isOn }) => (isOn ? [name] : []));

/** Questions of the user to an agent, without interrupting its work. (AX-2) */
export const asking: Feature<Run> = {
  name: "asking",
  commands({ isInactive, newId, emit }) {
    const questions = createFollowedWork<QuestionProgress>(emit, "A question could not be answered");
    return {
      "run.ask"(run, { who, question }) {
        if (isInactive)
          throw new EngineRefusal(
            "No Hox process has this repository open, so nothing can answer.",
            "Open it in the app, or resume the run with `hox run`, then ask again.",
          );
        const id = newId();
        questions.begin(id, { text: "", end: null }, async (show, signal) => {
          let text = "";
          const onText = (more: string): void => {
            text += more;
            show({ text, end: null });
          };
          try {
            const answer = await answerTo(run, { who, text: question, onText, signal });
            // Whoever streams nothing says all of it at its end.
            show({ text: text || answer.text, end: { kind: "answered", microDollars: answer.microDollars } });
          } catch (error) {
            show({
              text,
              end: signal.aborted ? { kind: "cancelled" } : { kind: "failed", ...explain(error) },
            });
          }
        });
        return { id };
      },
      async "run.askMore"({ id, after }) {
        const { value } = await questions.more(
          id,
          ({ value: { text, end } }) => text.length <= after && end === null,
        );
        return { text: value.text.slice(after), end: value.end };
      },
      "run.cancelAsk": ({ id }) => questions.cancel(id),
    };
  },
};

function answerTo(run: Run, asked: UserQuestion): Promise<UserAnswer> {
  const { who } = asked;
  const answer = askArchangel(run, asked) ?? (run.workers.has(who) ? askWorker(run, asked) : null);
  if (answer !== null) return answer;
  throw new EngineRefusal(
    `No agent named ${who} in this run.`,
    `Available: ${[...run.workers.keys(), ...archangelNames(run)].join(", ")}. For sessions outside Hox, use a terminal: hox sessions.`,
  );
}

/**
 * A worker is asked in a fork of its conversation: it knows what the worker knows, and the worker hears nothing of it. Its next
 * request is the one that it would have been.
 */
async function askWorker(run: Run, question: UserQuestion): Promise<UserAnswer> {
  const { who } = question;
  const { record } = run.worker(who);
  if (!roles[record.role].isListed)
    throw new EngineRefusal(`Validators can't be asked questions.`, `See the reason next to ${who}'s vote.`);
  refuseUse(run, who, "ask");
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

/** A worker that has not started, or whose conversation is gone, gets a summary of its situation. */
async function anew(run: Run, record: WorkerRecord): Promise<Conversation> {
  const conversation = await begun(run, record, null, record.iteration + 1);
  const { summary, remarks, checks, name, title } = record;
  const value = orientationOf(run, name)?.value ?? null;
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
    section("Your report about your work", summary === "" ? [] : [quoteText(summary)]),
    section(
      "Last checks",
      checks.map((one) => promptLine`- ${one.name}: ${outcomeText[one.outcome]}`),
    ),
  ];
  return withFirstPrompt(
    conversation,
    prompt(promptLine`[TASK] This is the current state of your work.`, ...lines),
  );
}

/** The same conversation with an additional first prompt. */
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
