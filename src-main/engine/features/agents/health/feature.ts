import { z } from "zod";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Blocked, Stall } from "#shared/domain/worker/worker-record.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import { warn, warnOf } from "../../../kernel/notify.ts";
import { addressOf, sendMessage, user } from "../../../orchestrators/messages.ts";
import {
  askAndExecute,
  doAsAnswered,
  questionShape,
  reply,
} from "../../../orchestrators/orchestrator-replies.ts";
import type { Run, RunReader, Worker } from "../../../ports.ts";
import { checkLines } from "../../../prompts.ts";
import { trouble } from "../../../trouble/trouble.ts";
import { isQuick, parentOf } from "../../../workers/hierarchy.ts";
import {
  blockedWorkers,
  isReplaced,
  keyOf,
  resumeWorker,
  retryWorker,
  unblock,
} from "../../../workers/pause-worker.ts";
import { refuseFinished, steerable } from "../../../workers/steerable.ts";
import { iterationsOf } from "../../../workers/worker-limits.ts";
import { askAbove } from "../../decisions/questions/feature.ts";
import { reassign } from "../../steering/reassignment/feature.ts";

const each = (kind: "quiet" | "stuck", workers: readonly string[]) =>
  workers.map((worker) => ({ id: `${kind}/${worker}`, worker }));

/**
 * Two models may delegate to each other without end at a cost: the user is asked after this number of tries.
 */
const parentTries = 2;

/** Moves work from an agent that cannot continue to one that can. Idempotent; progress is kept. */
async function helpBlocked(run: Run, worker: string): Promise<void> {
  const { blocked, parentAttempts } = run.worker(worker).record;
  if (!blocked) return;
  run.setActivity(worker, "waiting", `waiting for ${isQuick(run) ? "you" : parentOf(run, worker)}: blocked`);
  const lasts = () => run.worker(worker).record.blocked?.nth === blocked.nth && !isReplaced(run, worker);
  const byParent =
    !isQuick(run) && parentAttempts < parentTries && (await byItsParent(run, worker, blocked, lasts));
  if (!lasts()) return;
  if (!byParent && !(await byUser(run, worker, blocked))) return;
  if (lasts()) unblock(run, worker, byParent ? parentAttempts + 1 : 0);
}

/** False if the parent cannot help, so that the user has to. */
async function byItsParent(run: Run, worker: string, stuck: Blocked, lasts: () => boolean): Promise<boolean> {
  try {
    await askParent(run, worker, {
      key: keyOf(worker, stuck),
      event: "child blocked",
      text: () => textOf(run, worker, stuck),
      lasts,
    });
    return true;
  } catch (error) {
    if (error instanceof Interrupted || run.runEnded.signal.aborted) throw error;
    warnOf(run, error, `${parentOf(run, worker)} could not help ${worker}`);
    return false;
  }
}

/**
 * Stalled, silent or failed agents: the parent helps first, and escalates what it cannot settle, so that the
 * user is asked last. (design section 4; HYLO-2, HYLO-14)
 */
const messageShape = z.strictObject({ text: z.string().min(1).max(10_000) });
const reassignShape = z.strictObject({ brief: z.string().min(1).max(10_000) });

interface Need {
  /** The same after a restart; unique among the needs of the run. */
  readonly key: string;
  readonly event: "child stalled" | "child silent" | "child blocked";
  readonly text: () => PromptText;
  /** False once it is resolved. */
  readonly lasts: () => boolean;
}

/**
 * Lets the parent handle it: a message to the agent, a fresh agent, a decision for all, or a question to its
 * own parent. Idempotent.
 * @throws EngineRefusal when the agent's task cannot be given to another
 */
async function askParent(run: Run, worker: string, need: Need): Promise<void> {
  const { key, event, text, lasts } = need;
  const parent = parentOf(run, worker);
  const answer = await askAndExecute(run, parent, {
    key,
    event,
    text: async () => (lasts() ? text() : null),
    inReplyTo: null,
  });
  if (answer === null) return;
  const say = (from: string, words: string) =>
    sendMessage(run, { key, from, to: addressOf(run, worker), type: "info", text: words });
  await doAsAnswered<unknown>(answer, {
    message_agent: reply(messageShape, (message) => say(parent, message.text)),
    reassign: reply(reassignShape, async ({ brief }) => {
      if (lasts())
        await run.step(`${key}/reassigned`, () => reassign(run, worker, { model: null, brief, by: parent }));
    }),
    escalate: reply(questionShape, async (question) =>
      say(parent, await askAbove(run, { key, from: parent, about: worker, ...question })),
    ),
    ask_user: reply(questionShape, async ({ question, options }) => {
      const decision = await run.inbox.ask(`${run.id}/${key}/user`, () => ({
        kind: "align-request",
        from: parent,
        question,
        options,
        changeId: run.worker(worker).record.changeId,
      }));
      if (decision.kind === "answer") await say(user, decision.text);
    }),
  });
}

function byUser(run: Run, worker: string, stuck: Blocked): Promise<boolean> {
  const iterations = iterationsOf(run, worker);
  return trouble(run, {
    // A separate key: the agent's loop waits for this as stuck.
    of: keyOf(worker, stuck),
    worker,
    title:
      stuck.kind === "iterations"
        ? `${worker} did not finish in ${iterations} ${iterations === 1 ? "iteration" : "iterations"}`
        : `${worker} is blocked`,
    error: new Error(stuck.reason),
  });
}

function textOf(run: RunReader, worker: string, { kind, reason }: Blocked): PromptText {
  const { record } = run.worker(worker);
  return prompt(
    kind === "iterations"
      ? promptLine`${worker} has worked for ${record.iteration} iterations and is not done. With a message of yours it gets the same number again.`
      : promptLine`${worker} says that it cannot continue.`,
    section("Task", [quoteText(record.title)]),
    section("Why", [quoteText(reason)]),
    section("Last checks", checkLines(record.checks)),
  );
}

/** Workers that can fall silent: validators have other limits, and the root has only the user above it. */
export const works = ({ record: { role, parent }, state }: Pick<Worker, "record" | "state">): boolean =>
  (roles[role].hasIterations || (roles[role].isLead && parent !== null)) &&
  ["thinking", "tools", "checking"].includes(state);

/** A worker without a message for this long is silent. (HYLO-14) */
const silentMinutes = 30;

/**
 * Tells the parent once when an agent stalls or falls silent; progress or a new message resets that. (design
 * section 6; HYLO-14)
 */
function checkHeartbeats(run: Run): void {
  const limit = silentMinutes * 60_000;
  const now = run.monotonic();
  for (const worker of run.workers.values()) {
    const { name, stall } = worker.record;
    // While the provider is unavailable no agent can respond.
    if (run.providerLimit !== null) {
      if (stall === null) worker.lastActivityAt = now;
      continue;
    }
    if (stall?.kind === "silent" && worker.lastActivityAt > (worker.silentAt ?? -1))
      run.append({ kind: "SilenceEnded", worker: name });
    else if (
      stall === null &&
      works(worker) &&
      !run.isPausedOrOver() &&
      now - worker.lastActivityAt >= limit
    ) {
      worker.silentAt = now;
      run.append({ kind: "SilenceBegan", worker: name, at: run.now() });
    }
  }
}

/** How often `checkHeartbeats` runs. */
const heartbeatMs = 2_000;

/** Agents that fell quiet and whose parent has not answered yet. */
const stalledWorkers = (run: RunReader): readonly string[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.stall && !record.stall.isAnswered && !["done", "review", "abandoned"].includes(record.status)
      ? [record.name]
      : [],
  );

/** The parent looks at it: a word to the agent, a fresh agent, or a question to the user. */
async function reportStall(run: Run, worker: string): Promise<void> {
  const { stall, stallCount } = run.worker(worker).record;
  if (!stall) return;
  try {
    if (isQuick(run)) {
      warn(run, stallLine(run, worker, stall), "Send it a message, undo its work, or stop the run.");
      return run.append({ kind: "SilenceReported", worker, nth: stallCount });
    }
    await askParent(run, worker, {
      key: `${stall.kind}/${worker}/${stallCount}`,
      event: `child ${stall.kind}`,
      text: () => stallDetectionTextOf(run, worker, stall),
      // Even if it has resumed while its parent thinks, it may get a message.
      lasts: () => !isReplaced(run, worker),
    });
  } catch (error) {
    if (error instanceof Interrupted || run.runEnded.signal.aborted) return;
    // The agent continues; report the failure to the user.
    warnOf(run, error, `${worker} is ${stall.kind}`);
  }
  run.append({ kind: "SilenceReported", worker, nth: stallCount });
}

const stallLine = (run: RunReader, worker: string, { kind }: Stall): PromptText =>
  kind === "stalled"
    ? promptLine`${worker} has worked for ${run.worker(worker).record.idleIterations} iterations without a change of its files or checks.`
    : promptLine`${worker} has been silent for ${silentMinutes} minutes.`;

function stallDetectionTextOf(run: RunReader, worker: string, quiet: Stall): PromptText {
  const { record, activity } = run.worker(worker);
  return prompt(
    stallLine(run, worker, quiet),
    section("Task", [quoteText(record.title)]),
    section("What it does", [
      quoteText(activity === "" ? record.status : activity),
      promptLine`Iteration ${record.iteration + 1}.`,
    ]),
    section("Last checks", checkLines(record.checks)),
  );
}

/** Agents that are silent, stalled or failed. */
export const health: Feature<Run> = {
  name: "health",
  commands: () => ({
    async "run.retryWorker"(run, { worker: name }) {
      if (!roles[steerable(run, name).record.role].isLead) refuseFinished(run, name);
      if (!(await retryWorker(run, name)))
        throw new EngineRefusal(`${name} has not failed.`, "Pause it, send it a message, or undo its work.");
      resumeWorker(run, name);
    },
  }),
  orchestratorTools: [
    {
      name: "message_agent",
      answers: { "child stalled": 1, "child silent": 1, "child blocked": 1 },
      make: () =>
        structuredTool(
          "message_agent",
          "Writes to the agent that the event is about; it reads it with its next prompt. Use it when a hint can help.",
          messageShape,
        ),
    },
    {
      name: "reassign",
      answers: { "child stalled": 2, "child silent": 2, "child blocked": 2 },
      make: () =>
        structuredTool(
          "reassign",
          "Gives the event's task to a fresh agent, with a note on what to do differently. The work so far is kept. Use it when the agent is lost and a hint did not help.",
          reassignShape,
        ),
    },
  ],
  background: [
    background({
      desired: (run: Run) => each("quiet", stalledWorkers(run)),
      perform: (run, { worker }) => reportStall(run, worker),
      failure: ({ worker }) => ({
        title: `Could not report that ${worker} is stalled`,
        worker,
      }),
    }),
    background({
      desired: (run: Run) => each("stuck", blockedWorkers(run)),
      perform: (run, { worker }) => helpBlocked(run, worker),
      failure: ({ worker }) => ({ title: `Could not help ${worker}`, worker, isAsked: true }),
    }),
  ],
  ticks: [{ name: "silence", everyMs: () => heartbeatMs, look: checkHeartbeats }],
};
