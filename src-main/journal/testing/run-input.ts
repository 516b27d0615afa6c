/** The input of a run, for tests that do not look at it. */
export const runInput = {
  goal: "g",
  orchestrators: null,
  maxTokens: null,
  maxMicroDollars: null,
  onto: null,
  rehearsal: null,
  model: "m",
  attempts: 1,
  isQuick: false,
  isWatch: false,
  root: "O-A-1",
  models: {},
  efforts: {},
  attachments: [],
} as const;
