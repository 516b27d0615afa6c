import { promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { decisionsFor, parentOf } from "../../../workers/hierarchy.ts";
import { applyDecision } from "./apply-decision.ts";
import { refuseByCompliance, reopenContradicting } from "./compliance.ts";
import { contradictionsOf, forgetCompliance } from "./compliance-status.ts";
import { findOverrides, overrideGuard } from "./decision-lines.ts";
import { conflictSections } from "./decision-prompt.ts";
import { proposeFiles } from "./mutations.ts";
import { proposeMutation } from "./propose-mutation.ts";
import { markReturned } from "./returned-conflict.ts";
import { dropWithdrawn } from "./withdrawn-decisions.ts";

/** What binds everybody below an orchestrator, until a person takes it off the graph. */
export const decisions: Feature<Run> = {
  name: "decisions",
  services: (run) => ({
    decisions: {
      apply: (proposed, files) => applyDecision(run, proposed, files),
      propose: (proposed, files) => proposeFiles(run, proposed, files),
    },
    compliance: {
      contradictedBy: (worker) => contradictionsOf(run, worker)[0]?.decision.changeId ?? null,
      judgeSaved(worker, workspace, inConflict) {
        // Without markers nothing is in conflict any more; whether it follows the decision is judged when it is done.
        if (inConflict.length === 0) forgetCompliance(run, worker, "conflict");
        return findOverrides(run, worker, workspace, inConflict);
      },
      refuseDone: (work) => refuseByCompliance(run, work),
      guardWrites: (worker, workspace) => overrideGuard(run, worker, workspace),
      forget: (worker) => forgetCompliance(run, worker),
      markReturned: (worker) => markReturned(run, worker),
      reopenContradicting: (workers, actor) => reopenContradicting(run, workers, actor),
    },
  }),
  agents: {
    refuseDone: { name: "decisions", why: (_, { contradiction }) => contradiction() },
    prompt: {
      decisions: (run, { worker }) => [
        section(
          "Decisions",
          decisionsFor(run, parentOf(run, worker)).map(
            (one) => promptLine`- ${one.title} (${one.files.map(shownName).join(", ")}): ${one.reason}`,
          ),
        ),
      ],
      conflicts: (run, { worker, conflicts }) => conflictSections(run, worker, conflicts),
    },
  },
  orchestratorTools: [proposeMutation],
  onGraph: (run) => () => dropWithdrawn(run),
};
