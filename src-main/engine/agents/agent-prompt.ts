import { type PromptText, prompt } from "#shared/domain/text/prompt-text.ts";
import type { PromptAbout } from "../kernel/agent-work.ts";
import { promptSections } from "../kernel/prompt-sections.ts";
import type { Run } from "../ports.ts";

/** The whole task of an agent, because every iteration begins in a fresh context. */
export const agentPrompt = (run: Run, about: PromptAbout): PromptText =>
  prompt(
    ...promptSections.flatMap((name) =>
      run.features.flatMap(({ agents }) => agents?.prompt?.[name]?.(run, about) ?? []),
    ),
  );
