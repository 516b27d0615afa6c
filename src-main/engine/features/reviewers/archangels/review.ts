/** One review: an archangel wakes, receives what is new, comments or not, and sleeps again. (AX-10) */

import { type Archangel, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { reviewOf } from "#shared/domain/archangel/archangel-events.ts";
import {
  deliveryTo,
  noStatements,
  type OpenReview,
  type ReviewStatements,
  type SeenWork,
} from "#shared/domain/archangel/archangel-records.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { Conversation } from "../../../../agent/agent-interface.ts";
import { askForTool, type ToolAnswer } from "../../../../agent/ask-for-tool.ts";
import { purposeText } from "../../../../config/archangels.ts";
import { systemPrompt } from "../../../../config/resources-folder.ts";
import {
  conversationFactory,
  describeTurnEnd,
  openConversation,
  openOrStart,
} from "../../../conversations/conversation-factory.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import { inform, warn } from "../../../kernel/notify.ts";
import { perRun } from "../../../kernel/once.ts";
import type { Run } from "../../../ports.ts";
import { parentOf, rootOf } from "../../../workers/hierarchy.ts";
import { gateOf } from "../../../workers/worker-limits.ts";
import type { CheckoutHandle } from "../../../workspaces/workspace-interface.ts";
import { archangelNamed, dueFor, isDaySpent, isSpent } from "./due.ts";
import {
  endLine,
  isNothingToSee,
  reviewPrompt,
  seenAs,
  type Texts,
  whatArchangelKnows,
  workToSee,
} from "./review-prompt.ts";
import { reviewTools } from "./review-tools.ts";
import { commentText } from "./write-comment.ts";

/** Reminders before the review ends with the comments so far. */
const reminders = 1;

/** Files of the user's folder as each archangel saw them last. Kept nowhere else: a host that begins compares with the base. */
type SeenTexts = Map<string, Texts>;

const seenBy = perRun((_: Run): SeenTexts => new Map());

/** Resolves when an archangel sleeps again. One at a time for each. @throws what keeps it from its model */
export const review = (run: Run, archangel: string): Promise<void> =>
  run.serial.run(`archangel/${archangel}`, () => reviewOnce(run, archangel, seenBy(run)));

async function reviewOnce(run: Run, name: string, seen: SeenTexts): Promise<void> {
  const archangel = archangelNamed(run, name);
  if (archangel === null || !archangel.isOn) return;
  const worker = archangelWorker(name);
  const left = leftOpen(run, name);
  const begun = left === null ? await beginReview(run, archangel, seen.get(name) ?? new Map()) : null;
  const review = left ?? begun?.review ?? null;
  if (review === null) return;
  const heard = await ask(run, archangel, review, begun?.prompt ?? endLine);
  switch (heard.kind) {
    case "heard":
      finish(run, archangel, review, heard.conversation);
      if (begun) seen.set(name, new Map([...(seen.get(name) ?? []), ...begun.texts]));
      break;
    case "stopped":
      if (isSpent(run, archangel)) reportSpent(run, archangel);
      run.setActivity(worker, "sleeping", "");
      throw new Interrupted();
    case "failed":
      closeConversation(run, worker);
      run.setActivity(worker, "sleeping", "");
      throw heard.error;
    case "useless":
      passOver(run, archangel, review, heard.why);
  }
  run.setActivity(worker, "sleeping", "");
}

/** A review that a pause, a death or a spent budget left in the middle; null where its conversation is gone. */
function leftOpen(run: Run, name: string): OpenReview | null {
  const review = reviewOf(run.facts.archangels, name);
  const worker = archangelWorker(name);
  if (review === null || !run.workers.has(worker)) return null;
  return openConversation(run, worker, review.key) === null ? null : review;
}

/** @returns null where nothing of what came is to be looked at */
async function beginReview(
  run: Run,
  archangel: Archangel,
  texts: Texts,
): Promise<{ readonly review: OpenReview; readonly prompt: PromptText; readonly texts: Texts } | null> {
  const due = dueFor(run, archangel);
  if (due === null) return null;
  const { name } = archangel;
  const seen = await workToSee(run, archangel, due, texts);
  if (isNothingToSee(archangel, due, seen)) {
    run.append({ kind: "ArchangelPassed", archangel: name, offset: due.upTo, seen: seenAs(seen) });
    return null;
  }
  const { text, delivered } = reviewPrompt(run, name, due, seen);
  run.addWorker({
    name: archangelWorker(name),
    role: "archangel",
    parent: rootOf(run),
    title: startOf(purposeText(archangel.purpose, run.repository.root).split("\n")[0] ?? name, 200),
  });
  closeConversation(run, archangelWorker(name));
  const work = seen.map(({ diff: _, texts: __, ...one }) => one);
  run.append({ kind: "ReviewStarted", archangel: name, key: `review/${run.newId()}`, delivered, work });
  const review = reviewOf(run.facts.archangels, name);
  if (review === null) throw new Error(`The review by ${name} did not start.`);
  return { review, prompt: text, texts: new Map(seen.flatMap((one) => [...(one.texts ?? [])])) };
}

/** Its comments so far in the open review. */
const statementsBy = (run: Run, name: string): ReviewStatements =>
  reviewOf(run.facts.archangels, name)?.statements ?? noStatements;

const hasStatements = ({ comments, suggestions, replies }: ReviewStatements): boolean =>
  comments.length + suggestions.length + Object.keys(replies).length > 0;

type Heard =
  | { readonly kind: "heard"; readonly conversation: Conversation }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "useless"; readonly why: string };

/** @param prompt of a new review; an open one resumes without a prompt */
async function ask(
  run: Run,
  archangel: Archangel,
  { key, work }: OpenReview,
  prompt: PromptText,
): Promise<Heard> {
  const worker = archangelWorker(archangel.name);
  const start = await conversationFactory(run, worker, {
    system: systemPrompt("archangel", worker, {
      purpose: purposeText(archangel.purpose, run.repository.root),
    }),
    tools: reviewTools({ run, archangel: archangel.name, work }),
    place: placeFor(run, work),
    gate: () => (isDaySpent(run) ? "pause" : gateOf(run, worker)()),
    keeps: () => whatArchangelKnows(run),
  });
  let conversation: Conversation | null = null;
  const asked = await askForTool<true>({
    prompt,
    reminder: endLine,
    reminders,
    isWorthReminder: (end) => end.kind === "ended" && !hasStatements(statementsBy(run, archangel.name)),
    signal: run.runEnded.signal,
    answerOf: (signal) => (signal.kind === "structured" ? true : null),
    async open() {
      const opened = openOrStart(run, worker, key, start, { history: run.journal.history(run.id, worker) });
      ({ conversation } = opened);
      return opened;
    },
    close: () => closeConversation(run, worker),
    afterTurn: () => run.worker(worker).recorder.flush(),
  });
  return heardAs(asked, conversation);
}

function heardAs(asked: ToolAnswer<true>, conversation: Conversation | null): Heard {
  switch (asked.kind) {
    case "answer":
      return { kind: "heard", conversation: asked.conversation };
    case "stopped":
      return { kind: "stopped" };
    case "failed":
      return { kind: "failed", error: asked.error };
    case "none":
      // It has ended its turn: its tool calls are its comments.
      return asked.end.kind === "ended" && conversation !== null
        ? { kind: "heard", conversation }
        : { kind: "useless", why: describeTurnEnd(asked.end) };
  }
}

/** The folder that its tools read: that of the work under review, read-only; else the user's own. */
const placeFor = (run: Run, work: readonly SeenWork[]): CheckoutHandle => {
  const place = work.map(({ who }) => (run.workers.has(who) ? run.workspaces.of(who) : null));
  return place.find((one) => one !== null) ?? run.workspaces.home();
};

/** Records what it received and what it commented, atomically. */
function finish(run: Run, archangel: Archangel, review: OpenReview, conversation: Conversation): void {
  const worker = archangelWorker(archangel.name);
  const { delivered } = review;
  const statements = statementsBy(run, archangel.name);
  const at = run.now();
  run.journal.together(() => {
    run.journal.setHistory(run.id, worker, conversation.token);
    closeConversation(run, worker);
    run.append(
      {
        kind: "ArchangelAnswered",
        archangel: archangel.name,
        delivery: {
          initialized: true,
          planHash: delivered.planHash,
          todosHash: delivered.todosHash,
          parentContextOffset: delivered.upTo,
          lastAnalysisAt: at,
        },
        seen: delivered.seen,
        heard: delivered.heard,
        ...statements,
        at,
      },
      ...updatesOf(run, archangel, statements),
      { kind: "WorkerMeasured", metrics: run.metrics.of(worker) },
    );
  });
}

/** Delivered with the parent orchestrator's next event, without an extra request. */
const updatesOf = (
  run: Run,
  { comments: reader }: Archangel,
  { comments }: ReviewStatements,
): readonly RunEvent[] =>
  reader === "orchestrator"
    ? comments.flatMap((comment) =>
        comment.worker === null
          ? []
          : updatesFor(parentOf(run, comment.worker), "children", [
              `${commentText(comment)} pass_on_comment with comment ${comment.id} tells ${comment.worker}.`,
            ]),
      )
    : [];

/** Comments from before its budget was spent are kept; what it received is not marked as delivered. */
function reportSpent(run: Run, archangel: Archangel): void {
  const { name } = archangel;
  const statements = statementsBy(run, name);
  if (hasStatements(statements)) {
    const delivery = deliveryTo(run.facts.archangels, name);
    run.append({
      kind: "ArchangelAnswered",
      archangel: name,
      delivery,
      seen: {},
      heard: {},
      ...statements,
      at: run.now(),
    });
  }
  if (run.once.isFirst(`archangel-spent/${name}/${archangel.tokens}/${archangel.microDollars}`))
    inform(
      run,
      `The budget of the archangel ${name} is spent: it reviews nothing more in this run.`,
      "To resume it, raise budget_usd or budget_tokens of its [[archangel]] in .hox/config.toml.",
    );
}

/** It gave no valid answer and would not give one now: it receives the rest when something else happens. */
function passOver(run: Run, { name }: Archangel, { delivered }: OpenReview, why: string): void {
  closeConversation(run, archangelWorker(name));
  run.append({ kind: "ArchangelPassed", archangel: name, offset: delivered.upTo, seen: {} });
  warn(
    run,
    `The review by ${name} gave no usable result: ${why}.`,
    "See its conversation for details. To try another model, set `model` in its [[archangel]].",
  );
}

/** For a comment on which nothing can be answered any more. */
export const refuseOff = (run: Run, name: string): void => {
  if (archangelNamed(run, name)?.isOn) return;
  throw new EngineRefusal(
    `The archangel ${name} is off, so it would not read your reply.`,
    "Turn it on, or resolve the comment.",
  );
};
