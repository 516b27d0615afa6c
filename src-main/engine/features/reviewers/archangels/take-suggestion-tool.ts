import { z } from "zod";
import { prompt, promptLine } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import type { OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { takeSuggestion, whyNotTaken } from "./suggestions.ts";

const shape = z.strictObject({
  suggestion: z.string().min(1).max(200).describe("As it was named to you, as in finder-2."),
});

/** Lets an orchestrator accept what a reviewer suggests; the event is put to it again afterwards. (AX-11) */
export const takeSuggestionTool: OrchestratorTool<Run> = {
  name: "take_suggestion",
  answers: { "fold ready": 7 },
  make(run, orchestrator) {
    const tool = structuredTool(
      "take_suggestion",
      "Makes a suggestion of a reviewer in the background a task of your plan, with a separate agent. Use it when the goal is not reached without it; leave everything else to the user, who sees both. What you were asked is put to you again afterwards.",
      shape,
    );
    return {
      ...tool,
      async run(input, context) {
        const problem = whyNotTaken(run, orchestrator, shape.parse(input).suggestion);
        return problem === null
          ? tool.run(input, context)
          : { ok: false, error: "not-allowed", output: problem };
      },
    };
  },
  async carryOut(run, { orchestrator, value }) {
    const { suggestion } = shape.parse(value);
    const problem = whyNotTaken(run, orchestrator, suggestion);
    if (problem !== null) return { reply: prompt(promptLine`${suggestion} was not taken: ${problem}`) };
    return (await takeSuggestion(run, orchestrator, suggestion))
      ? { reply: prompt(promptLine`${suggestion} is a task of your plan now.`) }
      : {
          reply: prompt(promptLine`${suggestion} did not become a task; it is kept for the user as an idea.`),
        };
  },
};
