import { isRoot } from "#shared/domain/change-metadata/address.ts";
import type { Question } from "#shared/domain/question/questions.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { type Action, background, type Feature, type OrchestratorTool } from "../../../kernel/feature.ts";
import type { OrchestratorEvent } from "../../../orchestrator-protocol.ts";
import {
  addressOf,
  markDelivered,
  markHandled,
  messagesFor,
  sendMessage,
  setHandled,
} from "../../../orchestrators/messages.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import {
  answerShape,
  doAsAnswered,
  questionShape,
  reply,
} from "../../../orchestrators/orchestrator-replies.ts";
import { handlerFor } from "../../../orchestrators/orchestrator-tools.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isQuick, parentOf, rootOf } from "../../../workers/hierarchy.ts";

/** A question on its way up. */
export interface RoutedQuestion {
  /** The same after a restart; steps and messages of the question are kept under it. */
  readonly key: string;
  /** The asker: an agent, or an orchestrator that cannot decide. */
  readonly from: string;
  /** The worker whose work the question is about, and who waits for the answer. */
  readonly about: string;
  readonly question: string;
  readonly options: readonly string[];
}

/** Questions that block no work; a waiting agent's own loop settles its question. */
export const openQuestions = ({
  facts,
}: {
  readonly facts: { readonly questions: readonly Pick<Question, "id" | "blocking" | "answer">[] };
}): readonly Action[] =>
  facts.questions.filter(({ blocking, answer }) => !blocking && answer === null).map(({ id }) => ({ id }));

/** What the root asks the user, an orchestrator below it asks its parent. (HYLO-2) */
const asking: OrchestratorTool<Run>["answers"] = {
  "align-request": 2,
  "merge request ready": 3,
  "child stalled": 3,
  "child silent": 3,
  "child blocked": 3,
};

/** Takes down a worker's question before anyone acts on it. */
export function openQuestion(
  run: Run,
  question: Pick<Question, "from" | "question" | "options" | "blocking"> & { readonly iteration: number },
): void {
  const { iteration, ...asked } = question;
  const taken = run.facts.questions.filter(
    (one) => one.from === asked.from && one.question === asked.question,
  );
  const known = taken.find((one) => one.answer === null);
  // A repeated question keeps its id, and the caller waits for the same answer.
  const id = known?.id ?? `align/${asked.from}/${iteration}/${run.facts.questions.length}`;
  run.append({ kind: "QuestionAsked", question: { ...asked, id } });
  if (!known) run.metrics.alignRequest(asked.from);
}

/**
 * Handles a worker's question up to its answer. Every step is stored, so after a restart the unfinished one
 * resumes.
 */
async function resolveQuestion(run: Run, id: string): Promise<void> {
  const exchange = run.facts.questions.find((one) => one.id === id);
  if (!exchange || exchange.answer !== null) return;
  const { from, question, options } = exchange;
  const answer = await settle(run, { key: id, from, about: from, question, options });
  run.append({ kind: "QuestionAnswered", id, answer });
}

/**
 * Asks the level above an orchestrator: its parent, or the user for the root. Nothing else waits meanwhile.
 * (HYLO-2)
 * @returns the answer
 */
export async function askAbove(run: Run, question: RoutedQuestion): Promise<string> {
  if (question.from !== rootOf(run)) return settle(run, question);
  const { about, options } = question;
  const decision = await run.inbox.ask(`${run.id}/${question.key}/user`, () => ({
    kind: "align-request",
    from: about,
    question: question.question,
    options,
    changeId: run.worker(about).record.changeId,
  }));
  if (decision.kind !== "answer") throw new Interrupted();
  return decision.text;
}

/** The asker's parent answers, asks above it, or proposes a decision for all below it. */
async function settle(run: Run, asked: RoutedQuestion): Promise<string> {
  const parent = parentOf(run, asked.from);
  const message = await sendMessage(run, {
    key: `${asked.key}/ask`,
    from: asked.from,
    to: parent,
    type: "align-request",
    text: questionText(asked),
  });

  if (isQuick(run)) {
    const answer = await askAbove(run, { ...asked, from: rootOf(run) });
    return answerAsker(run, asked, message, `${asked.key}/1`, { agent: asked.from, answer });
  }
  let event: OrchestratorEvent = "align-request";
  let text = prompt(
    askerLine(run, asked),
    section("Question", [quoteText(asked.question)]),
    section(
      "Options",
      asked.options.map((option) => promptLine`- ${option}`),
    ),
  );
  for (let round = 1; ; round++) {
    const key = `${asked.key}/${round}`;
    const given = await askOrchestrator(run, parent, key, event, text);
    const execute = handlerFor(run, given.tool);
    if (execute !== null) {
      const outcome = await execute(run, {
        orchestrator: parent,
        key,
        value: given.value,
        inReplyTo: message,
      });
      event = outcome.event ?? event;
      text = prompt(
        outcome.reply,
        event === "mutation applied"
          ? promptLine`Answer ${asked.from} now.`
          : promptLine`${asked.from} still waits.`,
      );
      continue;
    }
    const next = await doAsAnswered<{ readonly answer: string } | ToAskAgain>(given, {
      answer_agent: reply(answerShape, async (answer) => ({
        answer: await answerAsker(run, asked, message, key, answer),
      })),
      ask_user: reply(questionShape, (question) =>
        putFurther(run, asked, { ...question, key, event: "user answered", by: "the user" }),
      ),
      escalate: reply(questionShape, (question) =>
        putFurther(run, asked, {
          ...question,
          key: `${key}/above`,
          event: "escalation answered",
          by: parentOf(run, parent),
        }),
      ),
    });
    if ("answer" in next) return next.answer;
    ({ event, text } = next);
  }
}

interface ToAskAgain {
  readonly event: OrchestratorEvent;
  readonly text: PromptText;
}

/** The parent cannot decide it: the level above does, and the parent is asked again with that. */
async function putFurther(
  run: Run,
  asked: RoutedQuestion,
  put: {
    readonly key: string;
    readonly event: OrchestratorEvent;
    readonly by: string;
    readonly question: string;
    readonly options: readonly string[];
  },
): Promise<ToAskAgain> {
  const { key, event, by, question, options } = put;
  const from = parentOf(run, asked.from);
  const answer = await askAbove(run, { key, from, about: asked.about, question, options });
  return {
    event,
    text: prompt(
      promptLine`To the question of ${asked.from}.`,
      section("Question", [quoteText(question)]),
      section(`Answer of ${by}`, [quoteText(answer)]),
    ),
  };
}

/** Sends the answer to the one who asked, and to another agent of the same parent that it names. */
async function answerAsker(
  run: Run,
  asked: RoutedQuestion,
  message: string,
  key: string,
  { agent, answer }: { readonly agent: string; readonly answer: string },
): Promise<string> {
  const parent = parentOf(run, asked.from);
  const named = run.workers.get(agent)?.record;
  const others = named?.parent === parent && agent !== asked.from ? [agent] : [];
  for (const to of [asked.from, ...others]) {
    const sent = await sendMessage(run, {
      key: `${key}/answer/${to}`,
      from: parent,
      to: addressOf(run, to),
      type: "info",
      text: answer,
      replyTo: message,
    });
    // An agent reads it with its next prompt; an orchestrator gets it with the waiting event only.
    if (roles[run.worker(to).record.role].isLead) await handOver(run, to, sent);
  }
  await run.step(`${key}/handled`, () => setHandled(run, [message]));
  return answer;
}

async function handOver(run: Run, orchestrator: string, changeId: string): Promise<void> {
  const sent = messagesFor(run, orchestrator).filter((message) => message.changeId === changeId);
  markDelivered(run, orchestrator, sent);
  await markHandled(run, orchestrator, sent);
}

const askerLine = (run: RunReader, { from, about }: RoutedQuestion): PromptText => {
  const { title } = run.worker(from).record;
  return from === about
    ? promptLine`From: ${from} (${title})`
    : promptLine`From: ${from} (${title}), for ${about}`;
};

const questionText = ({ question, options }: RoutedQuestion): string =>
  options.length === 0 ? question : `${question}\n\n${options.map((option) => `- ${option}`).join("\n")}`;

/** What an agent asks. */
export const questions: Feature<Run> = {
  name: "questions",
  agents: {
    onSignal(run, worker, signal, iteration) {
      if (signal.kind !== "align-request") return;
      const { question, options, blocking } = signal;
      openQuestion(run, { from: worker, question, options, blocking, iteration });
    },
    gate: {
      name: "questions",
      async pass(run, worker) {
        const { awaitedQuestion } = run.worker(worker).record;
        if (awaitedQuestion === null) return false;
        run.setActivity(worker, "waiting", "waiting for an answer");
        await resolveQuestion(run, awaitedQuestion);
        run.append({ kind: "AnswerReceived", worker });
        return true;
      },
    },
    prompt: {
      questions: (run, { worker }) => [
        section(
          "Questions that wait for an answer",
          run.facts.questions
            .filter((one) => one.from === worker && one.answer === null)
            .map((one) => promptLine`- ${one.question}`),
        ),
      ],
    },
  },
  orchestratorTools: [
    {
      name: "answer_agent",
      answers: {
        "align-request": 1,
        "user answered": 2,
        "escalation answered": 2,
        "mutation applied": 1,
        "mutation rejected": 1,
      },
      make: () =>
        structuredTool(
          "answer_agent",
          "Answers an agent's question. Use it when goal, plan, contracts or repository settle it.",
          answerShape,
        ),
    },
    {
      name: "ask_user",
      answers: asking,
      isFor: isRoot,
      make: () =>
        structuredTool(
          "ask_user",
          "Asks the user. Use it for what you cannot decide from the goal, the plan and the repository.",
          questionShape,
        ),
    },
    {
      name: "escalate",
      answers: asking,
      isFor: (orchestrator) => !isRoot(orchestrator),
      make: () =>
        structuredTool(
          "escalate",
          "Asks your parent. Use it for what you cannot decide from your part, its plan and the repository, or what binds more than your part.",
          questionShape,
        ),
    },
  ],
  background: [
    background({
      desired: (run: Run) => openQuestions(run),
      perform: (run, { id }) => resolveQuestion(run, id),
      failure: () => ({ title: "A question could not be answered", worker: null, isAsked: true }),
    }),
  ],
};

/** Withdraws a worker's open questions and their cards. */
export function withdrawQuestions(run: Run, worker: string, reason: string): void {
  const isOnTable = (id: string): boolean =>
    run.facts.dependencies.some((one) => one.outcome === null && id === `${run.id}/dependencies/${one.id}`);
  run.append({ kind: "QuestionsWithdrawn", worker, reason });
  run.inbox.withdraw(
    (item) =>
      (item.kind === "align-request" && item.from === worker) ||
      // A package that others ask for as well is still to be decided.
      (item.kind === "dependency" && item.from === worker && !isOnTable(item.id)),
    reason,
  );
}
