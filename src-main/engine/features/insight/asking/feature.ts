import { archangelsOf } from "../../../../config/archangels.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Feature, PersonQuestion } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { askWorker } from "./ask-worker.ts";
import { createAskedQuestions } from "./asked-questions.ts";

const archangelNames = (run: Run): readonly string[] =>
  archangelsOf(run.config).flatMap(({ name, isOn }) => (isOn ? [name] : []));

/** What a person asks somebody beside the work. (AX-2) */
export const asking: Feature<Run> = {
  name: "asking",
  commands: ({ active, isInactive, newId }) => {
    const questions = createAskedQuestions(newId);
    return {
      "run.ask"({ who, question }) {
        if (isInactive)
          throw new EngineRefusal(
            "No Hox process has this repository open, so nothing can answer.",
            "Open it in the app, or resume the run with `hox run`, then ask again.",
          );
        const run = active();
        const answers = (asked: PersonQuestion) => {
          for (const { answerPerson } of run.features) {
            const answer = answerPerson?.(run, asked);
            if (answer) return answer;
          }
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
  answerPerson: (run, question) => (run.workers.has(question.who) ? askWorker(run, question) : null),
};
