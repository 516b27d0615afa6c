/** The label of a worker's conflict: users know mutations as decisions. */
export const conflictLabel = (kind: "mutation" | "merge"): string =>
  kind === "mutation" ? "decision conflict" : "merge conflict";
