import { report } from "#shared/domain/report/report.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { comparedStores } from "../../../run/compare-stores.ts";
import { reportedRuns } from "../../../run/reported-runs.ts";

/** Statistics over runs: computed from the journal on request, not stored. */
export const reports: Feature<Run> = {
  name: "reports",
  commands: ({ journal, repository }) => ({
    "report.compareStores": ({ runs }) => comparedStores(journal, repository, runs),
    "report.runs"({ by, runs }) {
      const { reported, leftOut } = reportedRuns(journal, runs);
      return report(reported, by, leftOut);
    },
  }),
};
