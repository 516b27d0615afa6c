/** What an orchestrator has to know however much of its conversation was left out. */
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { RunReader } from "../ports.ts";
import { contractsFor, decisionsFor, workerOnTask } from "../workers/hierarchy.ts";

export function whatStands(run: RunReader, orchestrator: string): PromptText {
  const { plan } = run.orchestratorFacts(orchestrator);
  const answered = run.facts.questions.filter(
    (one) => one.answer !== null && run.workers.get(one.from)?.record.parent === orchestrator,
  );
  return prompt(
    section("Goal", [quoteText(run.row.input.goal)]),
    section("Contracts", contractsFor(run, orchestrator)),
    section(
      "Decisions",
      decisionsFor(run, orchestrator).map((one) => promptLine`- ${one.title}: ${one.reason}`),
    ),
    section(
      "Tasks of your plan",
      (plan?.tasks ?? []).map((task) => {
        const worker = workerOnTask(run, orchestrator, task.id);
        return promptLine`- ${task.title} (${task.files.map(shownName).join(", ")}): ${worker === null ? "not begun" : `${worker.name}, ${worker.status}`}`;
      }),
    ),
    section(
      "Questions that were answered",
      answered.map((one) => promptLine`- ${one.from}: ${one.question} Answer: ${one.answer ?? ""}`),
    ),
  );
}
