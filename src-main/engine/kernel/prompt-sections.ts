/** The sections of an agent's prompt, in their order. A feature writes the ones that it names (`agents.prompt`). */
export const promptSections = [
  "task",
  "instructions",
  "attachments",
  "handover",
  "contracts",
  "decisions",
  "checks",
  "merge-requests",
  "messages",
  "questions",
  "dependencies",
  "protected-files",
  "conflicts",
  "collisions",
  "baseline-failures",
  "notes",
  "todos",
  "progress",
  "patterns",
] as const;

export type PromptSection = (typeof promptSections)[number];

/** Sections for an agent that continues the conversation in which it finished its work. */
export const continuedSections: readonly PromptSection[] = [
  ...(["conflicts", "merge-requests", "messages", "questions"] as const),
];
