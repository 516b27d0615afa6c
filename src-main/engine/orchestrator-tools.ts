import { agentTools, erase, readingTools } from "../tools/agent-tools.ts";
import { structuredTool } from "../tools/structured-tool.ts";
import type { Tool } from "../tools/tool-interface.ts";
import { editsProblem, mutationShape } from "./mutation-edits.ts";
import {
  answerShape,
  answersTo,
  type OrchestratorEvent,
  patternShape,
  planShape,
  questionShape,
} from "./orchestrator-events.ts";
import type { Run } from "./run.ts";

/**
 * The same tools in the same words for every event, so that the cached prefix holds; one that does not fit the event
 * is refused when it is called.
 */
export function toolsFor(run: Run, name: string, event: OrchestratorEvent): readonly Tool[] {
  const fitting = new Set([...readingTools().map((tool) => tool.name), ...answersTo(event)]);
  return [
    ...agentTools().filter((tool) => tool.name !== "run_command" && tool.name !== "align_request"),
    structuredTool("propose_plan", "Proposes the whole plan of the run.", planShape),
    structuredTool("answer_agent", "Answers an agent's question.", answerShape),
    structuredTool(
      "ask_user",
      "Asks the user what you cannot decide from the goal, the plan and the repository.",
      questionShape,
    ),
    proposeMutation(run, name),
    structuredTool(
      "propose_pattern",
      "Proposes something worth knowing in later runs. The user decides whether it is kept.",
      patternShape,
    ),
  ].map((tool) => (fitting.has(tool.name) ? erase(tool) : refused(tool, event)));
}

const refused = (tool: Tool, event: OrchestratorEvent): Tool => ({
  ...tool,
  run: async () => ({
    ok: false,
    error: "not-allowed",
    output: `${tool.name} does not answer [EVENT ${event}]. Use one of: ${answersTo(event).join(", ")}.`,
  }),
});

/** What cannot be written is said at the call, so that the model mends it at once. */
function proposeMutation(run: Run, name: string): Tool {
  const propose = structuredTool(
    "propose_mutation",
    "Proposes a decision that binds every agent: an edit of contract files and its reason. It is shown to the user, and applied below all tasks when approved.",
    mutationShape,
  );
  return {
    ...propose,
    async run(input, context) {
      const problem = await editsProblem(run, name, mutationShape.parse(input));
      return problem === null
        ? propose.run(input, context)
        : { ok: false, error: "invalid-input", output: problem };
    },
  };
}
