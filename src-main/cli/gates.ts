/** Gates that a person may open in advance. */
export const gates = [
  "first-look",
  "plan",
  "mutations",
  "dependencies",
  "folds",
  "patterns",
  "land",
  "questions",
] as const;

export type Gate = (typeof gates)[number];
