import { z } from "zod";
import { plan as planSchema } from "#shared/contract/inputs.ts";
import type { Conversation } from "../agent/agent-interface.ts";
import { patternCategories } from "../patterns/patterns-interface.ts";
import { agentTools, erase, readingTools } from "../tools/agent-tools.ts";
import { structuredTool } from "../tools/structured-tool.ts";
import type { Tool, ToolSignal } from "../tools/tool-interface.ts";
import { pendingTrouble, trouble } from "./budget.ts";
import { scoped } from "./chain-of-command.ts";
import { Interrupted } from "./engine-errors.ts";
import { editsProblem, mutationShape } from "./mutation-edits.ts";
import { beginAnew, forgetConversation, goOn, leftOpen } from "./open-conversation.ts";
import { systemPrompt } from "./prompts.ts";
import type { Run } from "./run.ts";
import { conversationsOf, endWords } from "./talking.ts";
import { workspaceOf } from "./workspaces.ts";

export const planShape = planSchema;
export const answerShape = z.strictObject({
  agent: z.string().min(1).max(200),
  answer: z.string().min(1).max(20_000),
});
export const questionShape = z.strictObject({
  question: z.string().min(1).max(20_000),
  options: z.array(z.string().min(1).max(500)).max(8).default([]),
});
export const patternShape = z.strictObject({
  name: z.string().min(1).max(100),
  category: z.enum(patternCategories),
  confidence: z.number().min(0).max(1),
  markdown: z.string().min(1).max(20_000),
});

/** What each event may be answered with; the first is what it is about. Reading is always allowed. */
const answers = {
  plan: ["propose_plan"],
  "plan changed": ["propose_plan"],
  contracts: ["report_done", "write_file", "edit_file"],
  "align-request": ["answer_agent", "ask_user", "propose_mutation"],
  "user answered": ["propose_mutation", "answer_agent"],
  "mutation applied": ["answer_agent"],
  "mutation rejected": ["answer_agent", "propose_mutation"],
  learn: ["propose_pattern", "report_done"],
} as const satisfies Record<string, readonly string[]>;
export type OrchestratorEvent = keyof typeof answers;

export interface OrchestratorAnswer {
  readonly tool: string;
  readonly value: unknown;
}

/** How often a model that answers with the wrong thing is asked again before a person is. */
const reminders = 2;

/**
 * Wakes an orchestrator with an event and waits for its answer; events are answered one after another, in one
 * conversation that lasts for the run. The answer is kept under the event's key, so asking again costs nothing.
 */
export function askOrchestrator(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
  text: string,
): Promise<OrchestratorAnswer> {
  return run.step(stepOf(name, key), () => inTurn(run, name, () => answerTo(run, name, key, event, text)));
}

const stepOf = (name: string, key: string): string => `event/${scoped(name, key)}`;

const queues = new WeakMap<Run, Map<string, Promise<unknown>>>();

/** Each orchestrator has a queue of its own, so that one that thinks holds up nobody else. */
function inTurn<T>(run: Run, name: string, work: () => Promise<T>): Promise<T> {
  const waiting = queues.get(run) ?? new Map<string, Promise<unknown>>();
  queues.set(run, waiting);
  const turn = (waiting.get(name) ?? Promise.resolve()).then(work);
  waiting.set(
    name,
    turn.catch(() => undefined),
  );
  return turn;
}

async function answerTo(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
  text: string,
): Promise<OrchestratorAnswer> {
  await pendingTrouble(run, name);
  const worker = run.worker(name);
  let wrong = 0;
  const told = `[EVENT ${event}]\n\n${text}`;
  let next: string | null = leftOpen(run, name, key) ? null : told;
  for (;;) {
    if (run.held()) throw new Interrupted();
    const begun = performance.now();
    const conversation = await conversationFor(run, name, key, event);
    const end = await conversation.run(next, run.ending.signal);
    next = null;
    run.metrics.time(name, event, performance.now() - begun);
    worker.recorder.flush();
    const answer = end.kind === "signal" ? answerOf(end.signal) : null;
    if (answer && (answers[event] as readonly string[]).includes(answer.tool)) {
      run.show(name, "sleeping", "");
      run.journal.together(() => {
        run.journal.setHistory(run.id, name, conversation.messages);
        run.journal.setStep(run.id, stepOf(name, key), answer);
        forgetConversation(run, name);
      });
      return answer;
    }
    if (end.kind === "gate" && end.gate === "budget") run.dispatch({ kind: "BudgetExhausted" });
    if (end.kind === "gate" || end.kind === "aborted") {
      run.show(name, "paused", "");
      throw new Interrupted();
    }
    if (end.kind !== "failed" && wrong < reminders) {
      wrong += 1;
      if (end.kind === "cut") {
        // Nothing of a cut answer was kept, and a full window stays full: begin the event anew.
        forgetConversation(run, name);
        next = told;
      } else next = `Answer [EVENT ${event}] with exactly one of: ${answers[event].join(", ")}.`;
      continue;
    }
    const error =
      end.kind === "failed"
        ? end.error
        : new Error(`${name} was asked [EVENT ${event}], but ${endWords(end)}.`);
    if (!(await trouble(run, { of: name, worker: name, title: `${name} cannot go on`, error })))
      throw new Interrupted();
    wrong = 0;
  }
}

/** The one that was left open for this event, or another one that knows what was said in the events before. */
async function conversationFor(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
): Promise<Conversation> {
  const folder = workspaceOf(run, name)?.folder;
  if (folder === undefined) throw new Error(`${name} has no workspace.`);
  const begin = await conversationsOf(run, name, {
    system: systemPrompt("orchestrator", name, {}),
    tools: toolsFor(run, name, event),
    folder,
  });
  const left = leftOpen(run, name, key);
  return left
    ? goOn(run, name, left, begin)
    : beginAnew(run, name, key, begin, { history: run.journal.history(run.id, name) });
}

const answerOf = (signal: ToolSignal): OrchestratorAnswer =>
  signal.kind === "structured"
    ? { tool: signal.name, value: signal.value }
    : signal.kind === "done"
      ? { tool: "report_done", value: { summary: signal.summary } }
      : { tool: signal.kind, value: signal };

/**
 * The same tools in the same words for every event, so that the cached prefix holds; one that does not fit the event
 * is refused when it is called.
 */
function toolsFor(run: Run, name: string, event: OrchestratorEvent): readonly Tool[] {
  const reading = new Set(readingTools().map((tool) => tool.name));
  const fitting = (tool: Tool): Tool =>
    reading.has(tool.name) || (answers[event] as readonly string[]).includes(tool.name)
      ? tool
      : {
          ...tool,
          run: async () => ({
            ok: false,
            error: "not-allowed",
            output: `${tool.name} does not answer [EVENT ${event}]. Use one of: ${answers[event].join(", ")}.`,
          }),
        };
  const propose = structuredTool(
    "propose_mutation",
    "Proposes a decision that binds every agent: an edit of contract files and its reason. It is shown to the user, and applied below all tasks when approved.",
    mutationShape,
  );
  const checked: Tool = {
    ...propose,
    async run(input, context) {
      const problem = await editsProblem(run, name, mutationShape.parse(input));
      return problem === null
        ? propose.run(input, context)
        : { ok: false, error: "invalid-input", output: problem };
    },
  };
  return [
    ...agentTools().filter((tool) => tool.name !== "run_command" && tool.name !== "align_request"),
    structuredTool("propose_plan", "Proposes the whole plan of the run.", planShape),
    structuredTool("answer_agent", "Answers an agent's question.", answerShape),
    structuredTool(
      "ask_user",
      "Asks the user what you cannot decide from the goal, the plan and the repository.",
      questionShape,
    ),
    checked,
    structuredTool(
      "propose_pattern",
      "Proposes something worth knowing in later runs. The user decides whether it is kept.",
      patternShape,
    ),
  ].map((tool) => fitting(erase(tool)));
}
