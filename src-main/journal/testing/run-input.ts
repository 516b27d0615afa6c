/** What a run is taken down with, in tests to which it is all the same. */
export const runInput = {
  goal: "g",
  orchestrators: null,
  maxTokens: null,
  maxMicroDollars: null,
  onto: null,
  rehearsal: null,
  model: "m",
} as const;
