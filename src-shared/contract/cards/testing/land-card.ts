import type { LandCard } from "../land.ts";

/** A result in which nothing is missing, that lands on `main`. */
export const landCard: LandCard = {
  ...{ kind: "land", id: "run/land", run: "run", at: 0, nonce: "n", shown: "s" },
  ...{
    changeId: "k".repeat(32),
    commitId: "c".repeat(40),
    diffStat: [],
    bookmarks: ["main"],
    suggested: "main",
  },
  ...{ protectedPaths: [], isUnchecked: false, baselineFailures: [], failedChecks: [], standsOn: null },
  commits: { changes: [], tasks: [], one: [] },
  ...{ history: "changes", brought: null, validation: null, checks: [], missing: [], inTheWay: null },
};
