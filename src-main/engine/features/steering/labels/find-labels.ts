import { createHash } from "node:crypto";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { labelOf, rootsReached, spokesman, type WrittenLabel } from "#shared/domain/labels/labels.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { orchestratorsOf, rootOf } from "../../../workers/hierarchy.ts";

/**
 * Takes down what people labelled since the run began, in a terminal or by hand: what was said before is said to nobody.
 * Where several runs go on, each looks for itself and takes what is for it; what is for another is kept as settled, so
 * that it does not become this one's when the other is over. Read when somebody else has written, and never after writes
 * of our own.
 */
export async function findLabels(run: Run): Promise<void> {
  if (isOver(run.state)) return;
  for (const change of await run.repository.changesLabelledByHand()) {
    if (change.timestamp < run.row.startedAt) continue;
    const { subject, body, metadata } = parseDescription(change.description);
    const written = labelOf({ ...change, subject, body, metadata });
    if (written === null) continue;
    const addressed = { ...written, to: written.to ?? rootOf(run) };
    const words = createHash("sha256").update(JSON.stringify(addressed)).digest("hex").slice(0, 16);
    const label = { ...addressed, key: `${addressed.changeId.slice(0, 12)}-${words}` };
    if (run.facts.labels.some(({ key }) => key === label.key)) continue;
    const isOurs = await isForRun(run, change, written);
    run.append(
      { kind: "LabelFound", label },
      ...(isOurs ? [] : [{ kind: "LabelSettled" as const, key: label.key }]),
    );
  }
  run.schedule();
}

/** What reaches no run is told by one of them: of an address, when it is carried out. */
async function isForRun(run: Run, change: Change, { to, title }: WrittenLabel): Promise<boolean> {
  const runs = [run, ...run.others()];
  if (runs.length === 1) return true;
  const isSpokesman = spokesman(runs.map(rootOf)) === rootOf(run);
  const reached =
    to === null
      ? await findOtherRuns(run, change, runs)
      : rootsReached(
          to,
          runs.map((one) => ({ root: rootOf(one), orchestrators: orchestratorsOf(one) })),
        );
  if (to !== null && reached.length === 0) return isSpokesman;
  if (to !== null || reached.length === 1) return reached.includes(rootOf(run));
  if (isSpokesman) reportAmbiguous(run, change, title, runs, reached);
  return false;
}

/** The runs whose contracts a change stands on, or that stand on it. */
async function findOtherRuns(
  { repository }: Run,
  { commitId }: Change,
  runs: readonly RunReader[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const run of runs) {
    const { base } = run.orchestratorFacts(rootOf(run));
    if (base === null || !run.changes.has(base)) continue;
    if ((await repository.isAncestor(base, commitId)) || (await repository.isAncestor(commitId, base)))
      found.push(rootOf(run));
  }
  return found;
}

function reportAmbiguous(
  run: Run,
  { changeId }: Change,
  title: string,
  runs: readonly RunReader[],
  reached: readonly string[],
): void {
  const of = reached.length === 0 ? "none" : reached.length === runs.length ? "all" : "several";
  const choices = runs
    .toSorted((one, other) => (spokesman([rootOf(one), rootOf(other)]) === rootOf(one) ? -1 : 1))
    .map((one) => `--set-msg-to "${rootOf(one)}/*" for "${startOf(one.row.input.goal, 60)}"`);
  run.emit({
    kind: "notice",
    level: "warning",
    text: `The decision "${startOf(title, 80)}" in ${changeId.slice(0, 12)} was not proposed: ${runs.length} runs are active, and it fits ${of} of them.`,
    remedy: `Choose a run: \`hox describe ${changeId.slice(0, 12)}\` with ${choices.join(" or ")}.`,
  });
}
