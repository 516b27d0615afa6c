import { promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { decisionsFor, parentOf } from "../../workers/hierarchy.ts";
import { conflictSections } from "./decision-prompt.ts";
import { proposeMutation } from "./propose-mutation.ts";
import { dropWithdrawn } from "./withdrawn-decisions.ts";

/** What binds everybody below an orchestrator, until a person takes it off the graph. */
export const decisions: Feature<Run> = {
  name: "decisions",
  agents: {
    refuseDone: { place: 40, why: (_, { contradiction }) => contradiction() },
    prompt: [
      {
        place: 50,
        sections: (run, { worker }) => [
          section(
            "Decisions",
            decisionsFor(run, parentOf(run, worker)).map(
              (one) => promptLine`- ${one.title} (${one.files.map(shownName).join(", ")}): ${one.reason}`,
            ),
          ),
        ],
      },
      { place: 140, sections: (run, { worker, conflicts }) => conflictSections(run, worker, conflicts) },
    ],
  },
  orchestratorTools: [proposeMutation],
  onGraph: (run) => () => dropWithdrawn(run),
};
