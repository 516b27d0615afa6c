import type { QuestionProgress } from "#shared/contract/commands/worker.ts";
import { planText, todosText } from "#shared/domain/orientation/run-orientation.ts";
import { outcomeText } from "#shared/domain/project/first-look.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Conversation, ResumeToken } from "../../../../agent/agent-interface.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import { agentPrefix } from "../../../agents/conversation.ts";
import { askInFork, type UserAnswer, type UserQuestion } from "../../../conversations/ask-in-fork.ts";
import { conversationFactory } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { lenderSystem, toolsFor } from "../../../orchestrators/orchestrator-tools.ts";
import type { Run } from "../../../ports.ts";
import { orientationOf } from "../../agents/orientation/feature.ts";
import { askArchangel } from "../../reviewers/archangels/feature.ts";

const archangelNames = (run: Run): readonly string[] =>
  archangelsOf(run.config).flatMap(({ name, isOn }) => (isOn ? [name] : []));

/** Questions of the user to an agent, without interrupting its work. (AX-2) */
export const asking: Feature<Run> = {
  name: "asking",
  commands: ({ isInactive, newId }) => {
    const questions = createAskedQuestions(newId);
    return {
      "run.ask"(run, { who, question }) {
        if (isInactive)
          throw new EngineRefusal(
            "No Hox process has this repository open, so nothing can answer.",
            "Open it in the app, or resume the run with `hox run`, then ask again.",
          );
        const answers = (asked: UserQuestion) => {
          const answer = askArchangel(run, asked) ?? (run.workers.has(who) ? askWorker(run, asked) : null);
          if (answer !== null) return answer;
          throw new EngineRefusal(
            `No agent named ${who} in this run.`,
            `Available: ${[...run.workers.keys(), ...archangelNames(run)].join(", ")}. For sessions outside Hox, use a terminal: hox sessions.`,
          );
        };
        return {
          id: questions.begin(async (onText, signal) => answers({ who, text: question, onText, signal })),
        };
      },
      "run.askMore": ({ id, after }) => questions.more(id, after),
      "run.cancelAsk": ({ id }) => questions.cancel(id),
    };
  },
};

/**
 * A worker is asked in a fork of its conversation: it knows what the worker knows, and the worker hears nothing of it. Its next
 * request is the one that it would have been.
 */
async function askWorker(run: Run, question: UserQuestion): Promise<UserAnswer> {
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

interface Asked {
  text: string;
  end: QuestionProgress["end"];
  readonly cancel: AbortController;
  /** Wakes a waiting reader. */
  moved: PromiseWithResolvers<void>;
}

/** The oldest unread answers are dropped. */
const most = 50;
/** A terminal polls again after this time. */
const maxWaitMs = 10_000;

/** Questions that are being answered, so that the user can follow the answer or cancel it. */
function createAskedQuestions(newId: () => string) {
  const questions = new Map<string, Asked>();
  const of = (id: string): Asked => {
    const asked = questions.get(id);
    if (asked) return asked;
    throw new EngineRefusal("This question is no longer available because Hox restarted.", "Ask again.");
  };
  return {
    /** Begins to answer. @returns under what name the answer is fetched */
    begin(answer: (onText: (text: string) => void, signal: AbortSignal) => Promise<UserAnswer>): string {
      const id = newId();
      const asked: Asked = {
        text: "",
        end: null,
        cancel: new AbortController(),
        moved: Promise.withResolvers(),
      };
      questions.set(id, asked);
      for (const old of [...questions.keys()].slice(0, -most)) questions.delete(old);
      const move = (): void => {
        const { resolve } = asked.moved;
        asked.moved = Promise.withResolvers();
        resolve();
      };
      const end = (given: NonNullable<QuestionProgress["end"]>): void => {
        asked.end = given;
        move();
      };
      answer((text) => {
        asked.text += text;
        move();
      }, asked.cancel.signal).then(
        ({ text, microDollars }) => {
          // Whoever streams nothing says all of it at its end.
          if (asked.text === "") asked.text = text;
          end({ kind: "answered", microDollars });
        },
        (error: unknown) => {
          const { message, remedy } = explain(error);
          end(asked.cancel.signal.aborted ? { kind: "cancelled" } : { kind: "failed", message, remedy });
        },
      );
      return id;
    },
    /** The text after this many characters, as soon as there is any. */
    async more(id: string, after: number): Promise<QuestionProgress> {
      const asked = of(id);
      if (asked.text.length <= after && asked.end === null) {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, maxWaitMs);
        });
        await Promise.race([asked.moved.promise, late]);
        clearTimeout(timer);
      }
      return { text: asked.text.slice(after), end: asked.end };
    },
    cancel: (id: string): void => of(id).cancel.abort(),
  };
}
