import { alignQuestions } from "#shared/domain/labels/labels.ts";
import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { carryOutLabel, isInTime } from "./carry-out-label.ts";
import { findLabels } from "./find-labels.ts";

/** Labels that a person set and that nobody has acted on; a decision waits until somebody works who would follow it. */
const openLabels = (run: RunReader): readonly Action[] =>
  run.facts.labels
    .filter((label) => !label.isSettled && isInTime(run, label))
    .map(({ key }) => ({ id: `label/${key}` }));

/** Questions in the descriptions of tasks. (HOX-4.1) */
function askFromDescriptions(run: Run): void {
  for (const { record } of run.workers.values()) {
    const change = record.task === null ? undefined : run.changes.get(record.changeId ?? "");
    if (!change || record.status === "done" || record.status === "abandoned") continue;
    for (const question of alignQuestions(change.description)) {
      if (run.facts.questions.some((one) => one.from === record.name && one.question === question)) continue;
      const { iteration } = record;
      run.services.questions.open({ from: record.name, question, options: [], blocking: false, iteration });
      run.schedule();
    }
  }
}

/** What a person says to a run by the words that they write into a change. (HOX-2.4, HOX-4.1) */
export const labels: Feature<Run> = {
  name: "labels",
  onOthersWrote: findLabels,
  recover: findLabels,
  onGraph: (run) => () => askFromDescriptions(run),
  background: [
    background<Run, Action>({
      desired: openLabels,
      perform: (run, { id }) => carryOutLabel(run, id.slice("label/".length)),
      failure: () => ({
        title: "A label on a change could not be processed",
        worker: null,
        isAsked: true,
      }),
    }),
  ],
};
