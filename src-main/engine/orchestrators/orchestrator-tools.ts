import { rootOrchestrator } from "#shared/domain/address.ts";
import { claimCovers } from "#shared/domain/files/claims.ts";
import { agentTools, erase, readingTools } from "../../tools/agent-tools.ts";
import { structuredTool } from "../../tools/structured-tool.ts";
import type { Tool } from "../../tools/tool-interface.ts";
import { editsProblem, type MutationProposal, mutationShape } from "../decisions/mutation-edits.ts";
import { partOf } from "../planning/plan-request.ts";
import type { Run } from "../ports.ts";
import { chainOf, parentOf } from "./chain-of-command.ts";
import { informTool } from "./inform-tool.ts";
import {
  answerShape,
  answersTo,
  approvalShape,
  changesShape,
  messageShape,
  type OrchestratorEvent,
  patternShape,
  planShape,
  questionShape,
  reassignShape,
} from "./orchestrator-events.ts";
import { spawnTools } from "./spawn-tools.ts";
import { workTools } from "./work-tools.ts";

/**
 * The same tools in the same words for every event after the plan, so that the cached prefix holds; one that does not
 * fit the event is refused when it is called. A plan needs none of what comes after it, and a goal that is one task has
 * no event after its plan.
 */
export function toolsFor(run: Run, name: string, event: OrchestratorEvent): readonly Tool[] {
  if (event === "plan" || event === "plan changed") return [...readingTools(), proposePlan()].map(erase);
  const looking = workTools(run, name);
  const fitting = new Set([
    ...[...readingTools(), ...looking].map((tool) => tool.name),
    "inform",
    ...answersTo(name, event),
  ]);
  return [
    ...agentTools().filter((tool) => tool.name !== "run_command" && tool.name !== "align_request"),
    proposePlan(),
    structuredTool("answer_agent", "Answers an agent's question.", answerShape),
    name === rootOrchestrator
      ? structuredTool(
          "ask_user",
          "Asks the user what you cannot decide from the goal, the plan and the repository.",
          questionShape,
        )
      : structuredTool(
          "escalate",
          "Asks your parent what you cannot decide from your part, its plan and the repository, or what binds more than your part.",
          questionShape,
        ),
    informTool(run, name),
    ...looking,
    proposeMutation(run, name),
    ...spawnTools(run, name),
    structuredTool(
      "approve_fold",
      "Accepts an agent's finished work. It is merged, and its siblings build on it.",
      approvalShape,
    ),
    structuredTool(
      "request_changes",
      "Sends an agent's finished work back to it, with what has to change and why.",
      changesShape,
    ),
    structuredTool(
      "message_agent",
      "Writes to the agent that the event is about; it reads it with its next prompt.",
      messageShape,
    ),
    structuredTool(
      "reassign",
      "Gives the task that the event is about to a fresh agent, with a word on what to do otherwise. The work so far stays.",
      reassignShape,
    ),
    structuredTool(
      "propose_pattern",
      "Proposes something worth knowing in later runs. The user decides whether it is kept.",
      patternShape,
    ),
  ].map((tool) => (fitting.has(tool.name) ? erase(tool) : refused(tool, name, event)));
}

const proposePlan = (): Tool =>
  structuredTool("propose_plan", "Proposes the whole plan of the run.", planShape);

const refused = (tool: Tool, name: string, event: OrchestratorEvent): Tool => ({
  ...tool,
  run: async () => ({
    ok: false,
    error: "not-allowed",
    output: `${tool.name} does not answer [EVENT ${event}]. Use one of: ${answersTo(name, event).join(", ")}.`,
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
      const proposal = mutationShape.parse(input);
      const problem =
        outOfTime(run, name) ?? outsidePart(run, name, proposal) ?? (await editsProblem(run, name, proposal));
      return problem === null
        ? propose.run(input, context)
        : { ok: false, error: "invalid-input", output: problem };
    },
  };
}

/** Only while somebody works below: before that the contracts themselves are written, after it nobody would follow. */
function outOfTime(run: Run, name: string): string | null {
  const { course } = run.stateOf(name);
  if (course.stage === "integrating" || (course.stage === "executing" && course.phase > 0)) return null;
  return "Nobody works below your contracts now, so there is nobody to decide for. Answer the event.";
}

/** A decision that binds peers comes from whoever stands above both. (HOX-4.2, HYLO-2) */
function outsidePart(run: Run, name: string, { edits }: MutationProposal): string | null {
  if (name === rootOrchestrator) return null;
  const own = run.own(name).plan?.contracts.files ?? [];
  const inherited = chainOf(run, parentOf(run, name)).flatMap(
    (above) => run.own(above).plan?.contracts.files ?? [],
  );
  const given = [...own, ...partOf(run, name).files];
  const outside = edits.find(
    ({ path }) => inherited.includes(path) || !given.some((claim) => claimCovers(claim, path)),
  );
  return outside === undefined
    ? null
    : `${outside.path} is not of your part: others rely on it. Put the question to ${parentOf(run, name)} with escalate.`;
}
