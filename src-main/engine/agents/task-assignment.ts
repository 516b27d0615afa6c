import { pathLines, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import type { Assignment, RunReader } from "../ports.ts";

/** The assignment of a task's worker. @param name its worker */
export function taskAssignment(run: RunReader, name: string, signal: AbortSignal): Assignment {
  const { task, parent, title, changeId } = run.worker(name).record;
  // Read with every prompt: the user may change the plan while the agent works.
  const planned = () => run.orchestratorFacts(parent ?? "").plan?.tasks.find((one) => one.id === task);
  return {
    worker: name,
    changeId: changeId ?? "",
    signal,
    promptFile: "agent",
    finishedAs: "review",
    get heading() {
      return promptLine`[TASK] ${planned()?.title ?? title}`;
    },
    description: () => {
      const { description = "", files = [] } = planned() ?? {};
      return [
        quoteText(description),
        promptLine``,
        ...(files.length > 0 ? [promptLine`Files that are yours:`, ...pathLines(files)] : []),
      ];
    },
  };
}
