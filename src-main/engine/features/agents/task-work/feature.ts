import { promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { noteSections } from "../../../agents/worker-notes.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { checkLines, checkNames, portLines } from "../../../prompts.ts";
import { readAbandonedTasks } from "./abandoned-tasks.ts";
import { releaseUnfinishedTasks } from "./release-unfinished-tasks.ts";

/** What an agent is told of its task, and what becomes of tasks that nobody finishes. */
export const taskWork: Feature<Run> = {
  name: "task-work",
  agents: {
    prompt: {
      task: (_, { heading, description, facts }) => [
        heading,
        promptLine`Iteration ${facts.iteration}.`,
        section("Task", description()),
      ],
      handover: (run, { worker }) => noteSections(run.worker(worker).record.notes),
      checks: (run, { worker, checks }) => [
        section("Checks", checkNames(checks)),
        section("Ports", portLines(run.worker(worker).record.ports)),
      ],
      progress: (_, { diff, facts }) => [
        section("Your changes so far", diff === null ? [] : [quoteText(diff)]),
        section("Last checks", [
          ...checkLines(facts.failures),
          ...facts.notes.map((note) => promptLine`- ${note}`),
        ]),
      ],
    },
  },
  onGraph: (run) => () => readAbandonedTasks(run),
  atRunEnd: releaseUnfinishedTasks,
};
