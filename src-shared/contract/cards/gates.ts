/** Gates that the user may open in advance, so that their cards are answered automatically. */
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
