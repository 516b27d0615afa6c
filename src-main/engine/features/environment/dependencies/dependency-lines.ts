import { isOpen } from "#shared/domain/dependencies/dependency-events.ts";
import { formatDependency } from "#shared/domain/dependencies/request.ts";
import { type PromptText, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import type { RunReader } from "../../../ports.ts";

/** What became of what an agent asked for, in lines for its prompt. */
export function dependencyLines(run: RunReader, worker: string): readonly PromptText[] {
  return run.facts.dependencies.flatMap((one): readonly PromptText[] => {
    const { request, askers, decision, outcome } = one;
    if (!askers.some((asker) => asker.worker === worker) || outcome?.kind === "withdrawn") return [];
    const what = `${formatDependency(request)} (${request.manager})`;
    if (outcome?.kind === "installed")
      return [
        promptLine`- ${what}: installed. It stands in the manifest and the lock file of your files, and its packages are there. Do not change those by hand.`,
      ];
    if (outcome?.kind === "failed")
      return [
        promptLine`- ${what}: could not be installed, and nothing of it was kept. Go on without it, or ask for what can be installed.`,
        quoteText(outcome.words),
      ];
    if (decision?.kind === "deny")
      return [
        promptLine`- ${what}: refused${decision.by === "rule" ? " by a rule of the configuration" : " by the user"}. Go on without it.`,
        ...(decision.words === "" ? [] : [quoteText(decision.words)]),
      ];
    return isOpen(one) ? [promptLine`- ${what}: not decided yet.`] : [];
  });
}
