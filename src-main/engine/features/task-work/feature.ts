import { promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { noteSections } from "../../agents/worker-notes.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { checkLines, checkNames, portLines } from "../../prompts.ts";
import { workerOnTask } from "../../workers/hierarchy.ts";
import { holdInSandbox } from "../../workspaces/sandbox-gate.ts";
import { workOnTask } from "../merge-requests/work-on-task.ts";
import { readAbandonedTasks } from "./abandoned-tasks.ts";
import { releaseUnfinishedTasks } from "./release-unfinished-tasks.ts";

/** Each task of a plan, from its agent's first turn to its merged work. */
export const taskWork: Feature<Run> = {
  name: "task-work",
  agents: {
    prompt: [
      {
        place: 0,
        sections: (_, { heading, description, facts }) => [
          heading,
          promptLine`Iteration ${facts.iteration}.`,
          section("Task", description()),
        ],
      },
      { place: 30, sections: (run, { worker }) => noteSections(run.worker(worker).record.notes) },
      {
        place: 60,
        sections: (run, { worker, checks }) => [
          section("Checks", checkNames(checks)),
          section("Ports", portLines(run.worker(worker).record.ports)),
        ],
      },
      {
        place: 170,
        sections: (_, { diff, facts }) => [
          section("Your changes so far", diff === null ? [] : [quoteText(diff)]),
          section("Last checks", [
            ...checkLines(facts.failures),
            ...facts.notes.map((note) => promptLine`- ${note}`),
          ]),
        ],
      },
    ],
  },
  course: {
    SpawnTaskAgent: {
      title: "An agent cannot go on",
      worker: (run, { orchestrator, action }) => workerOnTask(run, orchestrator, action.task)?.name ?? null,
      async perform(run, { orchestrator, action }, signal) {
        await holdInSandbox(run);
        await workOnTask(run, orchestrator, action.task, signal);
      },
    },
  },
  onGraph: (run) => () => readAbandonedTasks(run),
  atRunEnd: releaseUnfinishedTasks,
};
