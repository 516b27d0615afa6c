/** How an orchestrator decides for everybody below it. */

import { claimCovers } from "#shared/domain/files/claims.ts";
import { prompt } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import type { OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run, RunGraph, RunReader } from "../../../ports.ts";
import { chainOf, parentOf, partOf, rootOf } from "../../../workers/hierarchy.ts";
import { editsProblem, type MutationProposal, mutationShape } from "./mutation-edits.ts";
import { decideMutation, formatOutcome } from "./mutations.ts";

export const proposeMutation: OrchestratorTool<Run> = {
  name: "propose_mutation",
  answers: {
    "align-request": 3,
    "user answered": 1,
    "escalation answered": 1,
    "user message": 2,
    "mutation rejected": 2,
    "fold ready": 4,
    "child stalled": 4,
    "child silent": 4,
    "child blocked": 4,
  },
  make: makeTool,
  async carryOut(run, { value, ...asked }) {
    const outcome = await decideMutation(run, { ...asked, proposal: mutationShape.parse(value) });
    return {
      reply: prompt(...formatOutcome(outcome)),
      event: outcome.applied ? "mutation applied" : "mutation rejected",
    };
  },
};

/** What cannot be written is said at the call, so that the model mends it at once. */
function makeTool(run: RunReader & RunGraph, name: string): Tool {
  const propose = structuredTool(
    "propose_mutation",
    "Proposes a decision that binds every agent: an edit of contract files and its reason. Use it when the answer to a question changes what several agents rely on. It is shown to the user, and applied below all tasks when approved.",
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
function outOfTime(run: RunReader, name: string): string | null {
  const { course } = run.stateOf(name);
  if (course.stage === "integrating" || (course.stage === "executing" && course.phase > 0)) return null;
  return "No agent works on your contracts now, so a decision would apply to no one. Answer the event.";
}

/** A decision that binds peers comes from whoever stands above both. (HOX-4.2, HYLO-2) */
function outsidePart(run: RunReader, name: string, { edits }: MutationProposal): string | null {
  if (name === rootOf(run)) return null;
  const own = run.orchestratorFacts(name).plan?.contracts.files ?? [];
  const inherited = chainOf(run, parentOf(run, name)).flatMap(
    (above) => run.orchestratorFacts(above).plan?.contracts.files ?? [],
  );
  const given = [...own, ...partOf(run, name).files];
  const outside = edits.find(
    ({ path }) => inherited.includes(path) || !given.some((claim) => claimCovers(claim, path)),
  );
  return outside === undefined
    ? null
    : `${outside.path} is not of your part: others rely on it. Put the question to ${parentOf(run, name)} with escalate.`;
}
