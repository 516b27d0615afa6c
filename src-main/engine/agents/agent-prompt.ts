import { type PromptText, prompt } from "#shared/domain/text/prompt-text.ts";
import type { PromptAbout } from "../kernel/agent-work.ts";
import type { Run } from "../ports.ts";

/**
 * Where an agent's task stands, whole, because every iteration begins in a fresh context: what each capability has to
 * say, in the order of their places.
 */
export const agentPrompt = (run: Run, about: PromptAbout): PromptText =>
  prompt(
    ...run.features
      .flatMap(({ agents }) => agents?.prompt ?? [])
      .toSorted((one, other) => one.place - other.place)
      .flatMap(({ sections }) => sections(run, about)),
  );
