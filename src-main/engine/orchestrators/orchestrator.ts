import { rootOrchestrator } from "#shared/domain/address.ts";
import { cacheLifetime } from "#shared/domain/cache-lifetime.ts";
import { type PromptText, prompt, promptLine } from "#shared/domain/prompt-text.ts";
import type { Conversation } from "../../agent/agent-interface.ts";
import type { ToolSignal } from "../../tools/tool-interface.ts";
import { gateOf, pendingTrouble, trouble } from "../agents/budget.ts";
import { isHeld, untilReleased } from "../agents/hold-worker.ts";
import { beginAnew, goOn, leftOpen } from "../agents/open-conversation.ts";
import { conversationsOf, endWords } from "../agents/talking.ts";
import { askForWorkerBudget, spentBudgetOf } from "../agents/worker-limits.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import { forgetConversation } from "../kernel/forget-conversation.ts";
import type { Run, Worker } from "../ports.ts";
import { workspaceOf } from "../workspaces/workspaces.ts";
import { parentOf, scoped } from "./chain-of-command.ts";
import { noNews, tellNews } from "./news.ts";
import {
  answeredApart,
  answersTo,
  type OrchestratorAnswer,
  type OrchestratorEvent,
} from "./orchestrator-events.ts";
import { hasOwnPrefix, orchestratorSystem } from "./orchestrator-system.ts";
import { toolsFor } from "./orchestrator-tools.ts";
import { whatStands } from "./what-stands.ts";

/** So many are enough to tell what the next one will be like. */
const sleepsKept = 8;

/** How often a model that answers with the wrong thing is asked again before a person is. */
const reminders = 2;

/**
 * Wakes an orchestrator with an event and waits for its answer; events are answered one after another, in one
 * conversation that lasts for the run, those of `answeredApart` in one of their own. The answer is kept under the event's key, so asking again costs nothing.
 */
export function askOrchestrator(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
  text: PromptText,
): Promise<OrchestratorAnswer> {
  return run.step(stepOf(name, key), () => inTurn(run, name, () => answerTo(run, name, key, event, text)));
}

/**
 * Asks what a run can do without: where no answer can be had, a spent budget among the reasons, a person is told why and
 * null is kept as the answer.
 */
export function askIfPossible(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
  text: PromptText,
): Promise<OrchestratorAnswer | null> {
  return run.step(stepOf(name, key), () =>
    inTurn(run, name, async () => {
      try {
        return await answerTo(run, name, key, event, text, false);
      } catch (error) {
        if (error instanceof Interrupted || run.ending.signal.aborted) throw error;
        const { message } = explain(error);
        run.emit({
          kind: "notice",
          level: "warning",
          text: `${name} gave no answer to [EVENT ${event}]: ${message}`,
          remedy: "Nothing to do; the run goes on without it.",
        });
        forgetConversation(run, name);
        run.show(name, "sleeping", "");
        return null;
      }
    }),
  );
}

const stepOf = (name: string, key: string): string => `event/${scoped(name, key)}`;

/** Each orchestrator has a queue of its own, so that one that thinks holds up nobody else. */
const inTurn = <T>(run: Run, name: string, work: () => Promise<T>): Promise<T> =>
  run.serial.run(`orchestrator/${name}`, work);

async function answerTo(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
  text: PromptText,
  /** Whether a person is asked for what is missing; else that is an error. */
  needed = true,
): Promise<OrchestratorAnswer> {
  if (needed) await pendingTrouble(run, name);
  const worker = run.worker(name);
  let wrong = 0;
  const apart = answeredApart.has(event);
  if (!apart) wakeUp(run, worker);
  const news = apart ? noNews : tellNews(run, name);
  const told = prompt(promptLine`[EVENT ${event}]`, text, ...news.sections, answerLine(name, event));
  let next: PromptText | null = leftOpen(run, name, key) ? null : told;
  let tells = next !== null;
  for (;;) {
    // A person paused this one alone; those below go on until they need it.
    await untilReleased(run, name, run.ending.signal);
    if (run.held()) throw new Interrupted();
    const holder = spentBudgetOf(run, name);
    if (holder !== null) {
      if (!needed) throw new Error(`the budget of ${holder} is spent`);
      await askForWorkerBudget(run, holder, name);
      await untilReleased(run, name, run.ending.signal);
      continue;
    }
    const begun = performance.now();
    const conversation = await conversationFor(run, name, key, event);
    const end = await conversation.run(next, run.ending.signal);
    next = null;
    run.metrics.time(name, event, performance.now() - begun);
    worker.recorder.flush();
    const answer = end.kind === "signal" ? answerOf(end.signal) : null;
    if (answer && answersTo(name, event).includes(answer.tool)) {
      run.show(name, "sleeping", "");
      if (!apart) worker.sleep = { ...worker.sleep, since: run.monotonic() };
      run.journal.together(() => {
        if (!apart) run.journal.setHistory(run.id, name, conversation.messages);
        run.journal.setStep(run.id, stepOf(name, key), answer);
        if (tells) news.forget();
        forgetConversation(run, name);
        run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
      });
      return answer;
    }
    if (end.kind === "gate" && end.gate === "budget") {
      if (!needed) throw new Error("the budget of the run is spent");
      run.dispatch({ kind: "BudgetExhausted" });
    }
    if (end.kind === "gate" && !run.held() && (isHeld(run, name) || spentBudgetOf(run, name) !== null))
      continue;
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
        tells = true;
      } else next = answerLine(name, event);
      continue;
    }
    const error =
      end.kind === "failed"
        ? end.error
        : new Error(`${name} was asked [EVENT ${event}], but ${endWords(end)}.`);
    if (!needed) throw error;
    if (!(await trouble(run, { of: name, worker: name, title: `${name} cannot go on`, error })))
      throw new Interrupted();
    wrong = 0;
  }
}

function wakeUp(run: Run, worker: Worker): void {
  const { since, lasted } = worker.sleep;
  if (since !== null)
    worker.sleep = { since: null, lasted: [...lasted, run.monotonic() - since].slice(-sleepsKept) };
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
    system: orchestratorSystem(name, name === rootOrchestrator ? null : parentOf(run, name), event),
    tools: toolsFor(run, name, event),
    folder,
    gate: () => (isHeld(run, name) ? "pause" : gateOf(run, name)()),
    keeps: () => whatStands(run, name),
    // Whoever plans again does so at once; what comes after the plan begins with other words.
    cachedFor: () => (hasOwnPrefix(event) ? "5m" : cacheLifetime(run.worker(name).sleep.lasted)),
  });
  const left = leftOpen(run, name, key);
  return left
    ? goOn(run, name, left, begin)
    : beginAnew(run, name, key, begin, {
        history: answeredApart.has(event) ? [] : run.journal.history(run.id, name),
      });
}

/** Ends every event: what else an orchestrator can do is refused there. */
const answerLine = (name: string, event: OrchestratorEvent): PromptText =>
  promptLine`Answer [EVENT ${event}] with exactly one of: ${answersTo(name, event).join(", ")}.`;

const answerOf = (signal: ToolSignal): OrchestratorAnswer =>
  signal.kind === "structured"
    ? { tool: signal.name, value: signal.value }
    : signal.kind === "done"
      ? { tool: "report_done", value: { summary: signal.summary } }
      : { tool: signal.kind, value: signal };
