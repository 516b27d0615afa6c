/** What a worker's conflict is called wherever it is shown: users know mutations as decisions. */
export const conflictLabel = (kind: "mutation" | "merge"): string =>
  kind === "mutation" ? "decision conflict" : "merge conflict";
