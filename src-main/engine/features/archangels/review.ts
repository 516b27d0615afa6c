/** One review: an archangel is told what is new, looks, says something or nothing, and sleeps again. (AX-10) */
import { type Archangel, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { deliveryTo } from "#shared/domain/archangel/due-review.ts";
import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import { newsFor } from "#shared/domain/news/news-events.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Conversation } from "../../../agent/agent-interface.ts";
import { askForTool, type ToolAnswer } from "../../../agent/ask-for-tool.ts";
import { purposeText } from "../../../config/archangel-purpose.ts";
import { systemPrompt } from "../../../config/system-prompt.ts";
import { conversationFactory, describeTurnEnd } from "../../conversations/conversation-factory.ts";
import {
  openConversation,
  resumeConversation,
  startConversation,
} from "../../conversations/open-conversation.ts";
import { EngineRefusal, Interrupted } from "../../engine-errors.ts";
import { closeConversation } from "../../kernel/close-conversation.ts";
import type { JournalledEvent } from "../../model/run-events.ts";
import type { Run } from "../../ports.ts";
import { parentOf } from "../../workers/hierarchy.ts";
import { gateOf } from "../../workers/run-budget.ts";
import type { CheckoutHandle } from "../../workspaces/workspace-interface.ts";
import { archangelNamed, dueFor, isSpent } from "./due.ts";
import { endLine, reviewPrompt, type Told, whatArchangelKnows } from "./review-prompt.ts";
import { nothingSaid, reviewTools, type Said } from "./review-tools.ts";
import { commentText } from "./send-comment.ts";
import { isNothingToSee, type SeenWork, seenAs, workToSee } from "./work-seen.ts";

export interface Reviews {
  /** Resolves when an archangel sleeps again. One at a time for each. @throws what keeps it from its model */
  review(archangel: string): Promise<void>;
}

/** What this process knows of a review that it began: what it tells counts when the model has answered it. */
interface OpenReview {
  readonly key: string;
  readonly prompt: ReturnType<typeof reviewPrompt>["text"];
  readonly told: Told;
  readonly work: readonly SeenWork[];
  readonly said: Said;
}

/** So often it is reminded before what it said is all there is. */
const reminders = 1;

export function createReviews(run: Run): Reviews {
  /** A pause leaves one open; after a crash there is none, and the same is told again. */
  const open = new Map<string, OpenReview>();
  return {
    review: (name) => run.serial.run(`archangel/${name}`, () => reviewOnce(run, name, open)),
  };
}

async function reviewOnce(run: Run, name: string, open: Map<string, OpenReview>): Promise<void> {
  const archangel = archangelNamed(run, name);
  if (archangel === null || !archangel.isOn) return;
  const review = open.get(name) ?? (await beginReview(run, archangel));
  if (review === null) return;
  const worker = archangelWorker(name);
  run.addWorker({
    name: worker,
    role: "archangel",
    parent: rootOrchestrator,
    title: startOf(purposeText(archangel.purpose, run.repository.root).split("\n")[0] ?? name, 200),
  });
  if (!open.has(name)) closeConversation(run, worker);
  open.set(name, review);
  const heard = await ask(run, archangel, review);
  switch (heard.kind) {
    case "heard":
      finish(run, archangel, review, heard.conversation);
      open.delete(name);
      break;
    case "stopped":
      if (isSpent(run, archangel)) tellSpent(run, archangel, review);
      run.setActivity(worker, "sleeping", "");
      throw new Interrupted();
    case "failed":
      open.delete(name);
      closeConversation(run, worker);
      run.setActivity(worker, "sleeping", "");
      throw heard.error;
    case "useless":
      open.delete(name);
      passOver(run, archangel, review, heard.why);
  }
  run.setActivity(worker, "sleeping", "");
}

/** @returns null where nothing of what came is to be looked at */
async function beginReview(run: Run, archangel: Archangel): Promise<OpenReview | null> {
  const due = dueFor(run, archangel);
  if (due === null) return null;
  const work = await workToSee(run, archangel, due);
  if (isNothingToSee(archangel, due, work)) {
    run.append({
      kind: "ArchangelPassed",
      archangel: archangel.name,
      offset: due.upTo,
      seen: seenAs(work),
    });
    return null;
  }
  const { text, told } = reviewPrompt(run, archangel.name, due, work);
  return { key: `review/${run.newId()}`, prompt: text, told, work, said: nothingSaid() };
}

type Heard =
  | { readonly kind: "heard"; readonly conversation: Conversation }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "useless"; readonly why: string };

async function ask(run: Run, archangel: Archangel, review: OpenReview): Promise<Heard> {
  const worker = archangelWorker(archangel.name);
  const { key, said } = review;
  const start = await conversationFactory(run, worker, {
    system: systemPrompt("archangel", worker, {
      purpose: purposeText(archangel.purpose, run.repository.root),
    }),
    tools: reviewTools({ run, archangel: archangel.name, said, work: review.work }),
    place: placeFor(run, review),
    gate: gateOf(run, worker),
    keeps: () => whatArchangelKnows(run),
  });
  let conversation: Conversation | null = null;
  const isSaid = (): boolean =>
    said.comments.length + said.suggestions.length + Object.keys(said.replies).length > 0;
  const asked = await askForTool<true>({
    prompt: review.prompt,
    reminder: endLine,
    reminders,
    isWorthReminder: (end) => end.kind === "ended" && !isSaid(),
    signal: run.runEnded.signal,
    answerOf: (signal) => (signal.kind === "structured" ? true : null),
    async open() {
      const left = openConversation(run, worker, key);
      conversation = left
        ? resumeConversation(run, worker, left, start)
        : startConversation(run, worker, key, start, { history: run.journal.history(run.id, worker) });
      return { conversation, isResumed: left !== null };
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
      // It has read it and ended its turn: what it said by tools is what it says.
      return asked.end.kind === "ended" && conversation !== null
        ? { kind: "heard", conversation }
        : { kind: "useless", why: describeTurnEnd(asked.end) };
  }
}

/** Where it looks around: the folder of whoever's work it is about, which it cannot write; else the person's own. */
const placeFor = (run: Run, { work }: OpenReview): CheckoutHandle => {
  const place = work.map(({ who }) => (run.workers.has(who) ? run.workspaces.of(who) : null));
  return place.find((one) => one !== null) ?? run.workspaces.home();
};

/** What it was told counts as told from here on, and what it said is said: all of it or nothing. */
function finish(run: Run, archangel: Archangel, review: OpenReview, conversation: Conversation): void {
  const worker = archangelWorker(archangel.name);
  const { told, said } = review;
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
          planHash: told.planHash,
          todosHash: told.todosHash,
          parentContextOffset: told.upTo,
          lastAnalysisAt: at,
        },
        seen: told.seen,
        heard: told.heard,
        ...said,
        at,
      },
      ...newsOf(run, archangel, said),
      { kind: "MetricsMeasured", metrics: run.metrics.all() },
    );
  });
}

/** Told with the next event of the orchestrator above, by no request of its own. */
const newsOf = (run: Run, { comments: reader }: Archangel, { comments }: Said): readonly JournalledEvent[] =>
  reader === "orchestrator"
    ? comments.flatMap((comment) =>
        comment.worker === null
          ? []
          : newsFor(parentOf(run, comment.worker), "children", [
              `${commentText(comment)} pass_on_comment with comment ${comment.id} tells ${comment.worker}.`,
            ]),
      )
    : [];

/** What it said before its budget was spent is kept; what it was told is not. */
function tellSpent(run: Run, archangel: Archangel, { said }: OpenReview): void {
  const { name } = archangel;
  if (said.comments.length + said.suggestions.length + Object.keys(said.replies).length > 0) {
    const delivery = deliveryTo(run.facts.archangels, name);
    run.append({
      kind: "ArchangelAnswered",
      archangel: name,
      delivery,
      seen: {},
      heard: {},
      ...said,
      at: run.now(),
    });
    Object.assign(said, nothingSaid());
  }
  if (run.once.isFirst(`archangel-spent/${name}/${archangel.tokens}/${archangel.microDollars}`))
    run.emit({
      kind: "notice",
      level: "info",
      text: `The budget of the archangel ${name} is spent: it looks at nothing more in this run.`,
      remedy: "Raise budget_usd or budget_tokens of its [[archangel]] in .hox/config.toml to let it go on.",
    });
}

/** Its answer was none, and would be none again: it is told the rest when something else happens. */
function passOver(run: Run, { name }: Archangel, { told }: OpenReview, why: string): void {
  closeConversation(run, archangelWorker(name));
  run.append({ kind: "ArchangelPassed", archangel: name, offset: told.upTo, seen: {} });
  run.emit({
    kind: "notice",
    level: "warning",
    text: `The archangel ${name} said nothing that could be kept: ${why}.`,
    remedy: "Its conversation shows why. Another model may do better: `model` of its [[archangel]].",
  });
}

/** For a comment on which nothing can be answered any more. */
export const refuseOff = (run: Run, name: string): void => {
  if (archangelNamed(run, name)?.isOn) return;
  throw new EngineRefusal(
    `The archangel ${name} is off and would not read it.`,
    "Switch it on, or resolve the comment.",
  );
};
