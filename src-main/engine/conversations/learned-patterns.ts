/** What earlier runs taught, as each worker of a run reads it; and a record of who read what. */

import { contextOf, foldersOf, type WorkContext } from "#shared/domain/patterns/pattern-context.ts";
import { reducePatternUse } from "#shared/domain/patterns/pattern-record.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import { contextOfTask, type Learned, learnedPatterns, type PatternReader } from "../../patterns/learned.ts";
import type { Run, RunReader } from "../ports.ts";
import { rootOf } from "../workers/hierarchy.ts";

/** The section for one worker, recorded as delivered. */
export function learnedFor(
  run: RunReader & Pick<Run, "append">,
  worker: string,
  reader: PatternReader,
): PromptText {
  const { text, injected } = learnedBy(run, worker, reader);
  recordInjectedPatterns(run, worker, injected);
  return text;
}

/** The same, and nothing is taken down yet. */
export const learnedBy = (run: RunReader, worker: string, reader: PatternReader): Learned =>
  learnedPatterns(run.facts.patterns, {
    reader,
    work: workOf(run, worker),
    maxCharacters: run.config.patterns.maxPromptCharacters,
  });

/** Says nothing twice. */
export function recordInjectedPatterns(
  run: RunReader & Pick<Run, "append">,
  worker: string,
  patterns: Learned["injected"],
): void {
  const event = { kind: "PatternsInjected", worker, patterns } as const;
  if (reducePatternUse(run.facts.injectedPatterns, event) !== run.facts.injectedPatterns) run.append(event);
}

/** A worker without a task works for the run's goal. */
function workOf(run: RunReader, worker: string): WorkContext {
  const goal = run.facts.goalContext ?? contextOf(run.row.input.goal, []);
  const record = run.facts.workers[worker];
  const plan = run.facts.orchestrators[record?.parent ?? rootOf(run)]?.plan;
  const task = record?.task == null ? undefined : plan?.tasks.find(({ id }) => id === record.task);
  if (task) return contextOfTask(goal, task, foldersOf(task.files));
  const files = plan?.tasks.flatMap((one) => one.files) ?? [];
  return files.length === 0 ? goal : { ...goal, folders: foldersOf(files) };
}
