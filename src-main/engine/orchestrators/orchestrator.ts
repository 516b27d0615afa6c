import { isRoot } from "#shared/domain/change-metadata/address.ts";
import { cacheLifetime } from "#shared/domain/spending/prices.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Conversation } from "../../agent/agent-interface.ts";
import { askForTool } from "../../agent/ask-for-tool.ts";
import type { ToolSignal } from "../../tools/tool-interface.ts";
import {
  conversationFactory,
  describeTurnEnd,
  inheritedConversation,
  openConversation,
  openOrStart,
} from "../conversations/conversation-factory.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import { warn } from "../kernel/notify.ts";
import type { OrchestratorAnswer, OrchestratorEvent } from "../orchestrator-protocol.ts";
import type { Run, RunReader, Worker } from "../ports.ts";
import { pendingTrouble, trouble } from "../trouble/trouble.ts";
import { contractsFor, decisionsFor, parentOf, rootOf, scoped, workerOnTask } from "../workers/hierarchy.ts";
import { lenderOf } from "../workers/inherited-context.ts";
import { isPaused, waitUntilResumed } from "../workers/pause-worker.ts";
import { askForWorkerBudget, gateOf, spentBudgetOf } from "../workers/worker-limits.ts";
import { checkLinesForPlan } from "../workspaces/check-options.ts";
import { deliverUpdates, markDelivered, messagesFor, noDelivery, user } from "./messages.ts";
import {
  answersTo,
  inheritedPlace,
  isPlanning,
  lenderSystem,
  lentTools,
  orchestratorSystem,
  toolsFor,
} from "./orchestrator-tools.ts";

/**
 * Self-contained events: each is answered in a separate conversation, not after the whole history. The result
 * is reported with the next event.
 */
export const answeredApart: ReadonlySet<OrchestratorEvent> = new Set([
  "merge request ready",
  "conflict forecast",
]);

/** Enough to predict the next one. */
const sleepsKept = 8;

/** Retries after a wrong answer before the user is asked. */
const reminders = 2;

/**
 * Wakes an orchestrator with an event and waits for its answer. Events are answered one after another in one
 * conversation per run, those in `answeredApart` in a separate one. The answer is stored under the event's
 * key, so repeating costs nothing.
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
 * Asks an optional question: if it cannot be answered, e.g. because the budget is spent, the reason is reported to the user, and null is stored as the answer.
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
        if (error instanceof Interrupted || run.runEnded.signal.aborted) throw error;
        const { message } = explain(error);
        warn(
          run,
          `${name} did not answer [EVENT ${event}]: ${message}`,
          "No action needed: the run continues without it.",
        );
        closeConversation(run, name);
        run.setActivity(name, "sleeping", "");
        return null;
      }
    }),
  );
}

const stepOf = (name: string, key: string): string => `event/${scoped(name, key)}`;

/** Each orchestrator has a separate queue, so that a slow one blocks no other. */
export const inTurn = <T>(run: Run, name: string, work: () => Promise<T>): Promise<T> =>
  run.serial.run(`orchestrator/${name}`, work);

async function answerTo(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
  text: PromptText,
  /** Whether the user is asked for what is missing; else that is an error. */
  needed = true,
): Promise<OrchestratorAnswer> {
  if (needed) await pendingTrouble(run, name);
  const worker = run.worker(name);
  const apart = answeredApart.has(event);
  if (!apart) wakeUp(run, worker);
  const updates = apart ? noDelivery : deliverUpdates(run, name);
  let tells = openConversation(run, name, key) === null;
  let stopAnswering = (): void => {};
  for (;;) {
    const asked = await askForTool({
      prompt: prompt(
        promptLine`[EVENT ${event}]`,
        event === "plan" ? inheritedPlace(run, name) : promptLine``,
        text,
        ...updates.sections,
        answerLine(run, name, event),
      ),
      reminder: answerLine(run, name, event),
      reminders,
      signal: run.runEnded.signal,
      answerOf(signal) {
        const answer = answerOf(signal);
        return answersTo(run, name, event).includes(answer.tool) ? answer : null;
      },
      untilAllowed: () => untilAllowed(run, name, needed),
      async open() {
        const opened = await conversationFor(run, name, key, event);
        stopAnswering = run.metrics.answering(name, event);
        return opened;
      },
      afterTurn() {
        stopAnswering();
        worker.recorder.flush();
      },
      close() {
        closeConversation(run, name);
        tells = true;
      },
      wordOnTheWay: () => wordOnTheWay(run, name, event),
      mayWaitAtGate: () =>
        !run.isPausedOrOver() &&
        (isPaused(run, name) ||
          worker.isInterrupted ||
          waitsForPreflight(run) ||
          spentBudgetOf(run, name) !== null),
    });
    switch (asked.kind) {
      case "answer": {
        const { answer, conversation } = asked;
        run.setActivity(name, "sleeping", "");
        if (!apart) worker.sleep = { ...worker.sleep, since: run.monotonic() };
        run.journal.together(() => {
          if (!apart) run.journal.setHistory(run.id, name, conversation.token);
          run.journal.setStep(run.id, stepOf(name, key), answer);
          closeConversation(run, name);
          run.append(...(tells ? updates.delivered : []), {
            kind: "WorkerMeasured",
            metrics: run.metrics.of(name),
          });
        });
        return answer;
      }
      case "stopped":
        if (asked.by === "budget") {
          if (!needed) throw new Error("the budget of the run is spent");
          run.dispatch({ kind: "BudgetExhausted" });
        }
        run.setActivity(name, "paused", "");
        throw new Interrupted();
    }
    const error =
      asked.kind === "failed"
        ? asked.error
        : new Error(`${name} was asked to handle “${event}”, but ${describeTurnEnd(asked.end)}.`);
    if (!needed) throw error;
    const title = `${isRoot(name) ? "The orchestrator" : name} failed`;
    if (!(await trouble(run, { of: name, worker: name, title, error }))) throw new Interrupted();
  }
}

/** The user decides about checks: what a run costs until then may be for nothing. */
const waitsForPreflight = (run: RunReader): boolean =>
  run.facts.preflight.look !== null && !run.facts.preflight.isSettled;

/**
 * What came up while it waited: what the preflight found, and a message of the user that should be read at once. That is
 * answered later as a separate event.
 */
function wordOnTheWay(run: Run, name: string, event: OrchestratorEvent): PromptText | null {
  const worker = run.worker(name);
  worker.isInterrupted = false;
  const updates = messagesFor(run, name).filter(
    ({ from, changeId }) => from === user && !Object.hasOwn(worker.record.delivered, changeId),
  );
  const found =
    event === "plan" && isRoot(name) && run.facts.preflight.settledBy !== null
      ? [promptLine`[NOTE] The project's checks have run on the base:`, ...checkLinesForPlan(run)]
      : [];
  if (updates.length === 0) return found.length === 0 ? null : prompt(...found);
  markDelivered(run, name, updates);
  return prompt(
    ...found,
    promptLine`[NOTE] The user wrote to you while you are answering [EVENT ${event}]. Consider it as far as it concerns that event. It follows as a separate event: answer it then.`,
    ...updates.map(({ text }) => section("Message", [quoteText(text)])),
    answerLine(run, name, event),
  );
}

/** It may be paused alone, or its budget spent; its agents continue until they need it. */
async function untilAllowed(run: Run, name: string, needed: boolean): Promise<void> {
  for (;;) {
    await waitUntilResumed(run, name, run.runEnded.signal);
    if (waitsForPreflight(run)) {
      run.setActivity(name, "waiting", "waiting for you: preflight");
      await run.waiters.until(() => !waitsForPreflight(run), run.runEnded.signal);
    }
    if (run.isPausedOrOver()) throw new Interrupted();
    const holder = spentBudgetOf(run, name);
    if (holder === null) return;
    if (!needed) throw new Error(`the budget of ${holder} is spent`);
    await askForWorkerBudget(run, holder, name);
  }
}

function wakeUp(run: RunReader, worker: Worker): void {
  const { since, lasted } = worker.sleep;
  if (since !== null)
    worker.sleep = { since: null, lasted: [...lasted, run.monotonic() - since].slice(-sleepsKept) };
}

/** The conversation that was left open for this event, or another one with the history of earlier events. */
async function conversationFor(
  run: Run,
  name: string,
  key: string,
  event: OrchestratorEvent,
): Promise<{ readonly conversation: Conversation; readonly isResumed: boolean }> {
  const place = run.workspaces.of(name);
  if (place === null) throw new Error(`${name} has no workspace.`);
  const lender = lenderOf(run, name);
  const tools = toolsFor(run, name, { event, key });
  const start = await conversationFactory(run, name, {
    ...(lender === null
      ? { system: orchestratorSystem(name, name === rootOf(run) ? null : parentOf(run, name), event), tools }
      : {
          system: lenderSystem(run, lender),
          tools: lentTools(run, lender, tools),
          ...inheritedConversation(run, name, lender),
        }),
    place,
    gate: () =>
      isPaused(run, name) || run.worker(name).isInterrupted || waitsForPreflight(run)
        ? "pause"
        : gateOf(run, name)(),
    keeps: () => contextSummary(run, name),
    // Whoever plans again does so at once; what comes after the plan begins with other words.
    cachedFor() {
      if (isPlanning(event)) return "5m";
      const lifetime = cacheLifetime(run.worker(name).sleep.lasted);
      // Nobody goes on in a conversation of its own.
      return lifetime === "1h" && answeredApart.has(event) ? "prefix-1h" : lifetime;
    },
  });
  const history = answeredApart.has(event) ? null : run.journal.history(run.id, name);
  return openOrStart(run, name, key, start, { history });
}

/** What an orchestrator has to know however much of its conversation was left out. */
function contextSummary(run: RunReader, orchestrator: string): PromptText {
  const { plan } = run.orchestratorFacts(orchestrator);
  const answered = run.facts.questions.filter(
    (one) => one.answer !== null && run.workers.get(one.from)?.record.parent === orchestrator,
  );
  return prompt(
    section("Goal", [quoteText(run.row.input.goal)]),
    section("Contracts", contractsFor(run, orchestrator)),
    section(
      "Decisions",
      decisionsFor(run, orchestrator).map((one) => promptLine`- ${one.title}: ${one.reason}`),
    ),
    section(
      "Tasks of your plan",
      (plan?.tasks ?? []).map((task) => {
        const worker = workerOnTask(run, orchestrator, task.id);
        return promptLine`- ${task.title} (${task.files.map(shownName).join(", ")}): ${worker === null ? "not begun" : `${worker.name}, ${worker.status}`}`;
      }),
    ),
    section(
      "Questions that were answered",
      answered.map((one) => promptLine`- ${one.from}: ${one.question} Answer: ${one.answer ?? ""}`),
    ),
  );
}

/** Ends every event: what else an orchestrator can do is refused there. */
const answerLine = (run: Run, name: string, event: OrchestratorEvent): PromptText =>
  promptLine`Answer [EVENT ${event}] with exactly one of: ${answersTo(run, name, event).join(", ")}.`;

const answerOf = (signal: ToolSignal): OrchestratorAnswer =>
  signal.kind === "structured"
    ? { tool: signal.name, value: signal.value }
    : signal.kind === "done"
      ? { tool: "report_done", value: { summary: signal.summary } }
      : { tool: signal.kind, value: signal };
