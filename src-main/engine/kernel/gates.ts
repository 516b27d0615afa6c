/** What an agent passes before it works, in this order. The first that is closed is waited for, then all are asked again. */
export const gates = [
  "attempts",
  "questions",
  "dependencies",
  "pauses",
  "collisions",
  "budgets",
  "subscriptions",
  "disk-use",
  "merge-requests",
] as const;

export type Gate = (typeof gates)[number];

/** What finished work is checked for, in this order. The first objection goes back to the agent. */
export const doneChecks = ["lost-files", "conflicts", "messages", "task-changes", "decisions"] as const;

export type DoneCheck = (typeof doneChecks)[number];
