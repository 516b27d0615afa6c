import { isRoot } from "#shared/domain/graph-words/address.ts";
import type { Question } from "#shared/domain/question/questions.ts";
import { promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import { type Action, background, type Feature, type OrchestratorTool } from "../../../kernel/feature.ts";
import { answerShape, questionShape } from "../../../orchestrators/answer-shapes.ts";
import type { Run } from "../../../ports.ts";
import { askAbove, openQuestion, resolveQuestion } from "./resolve-question.ts";
import { withdrawQuestions } from "./withdraw-questions.ts";

/** Questions that block nobody; whoever waits for an answer has it settled in its own time. */
export const openQuestions = ({
  facts,
}: {
  readonly facts: { readonly questions: readonly Pick<Question, "id" | "blocking" | "answer">[] };
}): readonly Action[] =>
  facts.questions.filter(({ blocking, answer }) => !blocking && answer === null).map(({ id }) => ({ id }));

/** What the root asks the user, an orchestrator below it asks its parent. (HYLO-2) */
const asking: OrchestratorTool<Run>["answers"] = {
  "align-request": 2,
  "fold ready": 3,
  "child stalled": 3,
  "child silent": 3,
  "child blocked": 3,
};

/** What an agent asks. */
export const questions: Feature<Run> = {
  name: "questions",
  services: (run) => ({
    questions: {
      open: (question) => openQuestion(run, question),
      askAbove: (question) => askAbove(run, question),
      withdraw: (worker, reason) => withdrawQuestions(run, worker, reason),
    },
  }),
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
    background<Run, Action>({
      desired: openQuestions,
      perform: (run, { id }) => resolveQuestion(run, id),
      failure: () => ({ title: "A question could not be answered", worker: null, isAsked: true }),
    }),
  ],
};
