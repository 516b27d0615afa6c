import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import { metricsTrailer } from "#shared/domain/metrics/metrics-trailer.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { bestEffort } from "../../../kernel/best-effort.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { figuresTogether, resultFigures } from "../../../run/kept-figures.ts";
import { integratorOf, rootOf } from "../../../workers/hierarchy.ts";
import { missingFromResult } from "../../../workflow/missing-from-result.ts";
import { scoresOf } from "./run-scores.ts";

/** Held against earlier runs once, before anything is learned from it. */
export const scoreRun = (run: Run): Promise<boolean> =>
  run.step(afterRepairs(run, "scored"), async () => {
    const { integration } = run.orchestratorFacts(rootOf(run));
    if (integration !== null) await missingFromResult(run, (await readChange(run, integration)).commitId);
    const { score, workers } = scoresOf(run);
    run.append(
      { kind: "MetricsMeasured", metrics: run.metrics.all() },
      { kind: "RunScored", score, workers },
    );
    return true;
  });

/** A result that was returned at landing comes again as another one. */
const afterRepairs = ({ state: { attempt } }: RunReader, step: string): string =>
  attempt === 0 ? step : `${step}/${attempt}`;

type Patches = readonly { readonly change: string; readonly patch: MetadataPatch }[];

/**
 * The figures of a run, as `[metrics] store` has it: those of all stand on the result, each agent's on its own final
 * change, all of them written at once. Before landing, because a change that has landed may be immutable. (HOX-6.2)
 */
export async function writeMetrics(run: Run): Promise<void> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  const integrator = integratorOf(rootOf(run));
  if (integration === null) throw new Error("No integration change.");
  await run.step(afterRepairs(run, "metrics"), async () => {
    run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
    await readChange(run, integration);
    const workspace = run.workspaces.of(integrator);
    if (workspace) await workspace.snapshot({ actor: integrator });
    const mark = (metrics: string | null, others: Patches) =>
      run.repository.setMetadata(
        [
          { change: integration, patch: { status: "done", ...(metrics === null ? {} : { metrics }) } },
          ...others,
        ],
        { actor: "hox" },
      );
    const { metrics, iterations, score } = resultFigures(run.id, run.facts);
    const sum = metricsTrailer(metrics, iterations, score);
    const marked =
      run.config.metrics.store !== "database" &&
      (await bestEffort(run, "The metrics of the run could not be written", async () => {
        await mark(sum, ownFigures(run, integration));
      }));
    // The figures one can do without, the word that it is done one cannot.
    if (!marked) await mark(null, []);
  });
}

/**
 * What each worker's own change says of it; that of the result says what they all came to. Who works on one change
 * after another (a part's orchestrator and its integrator, an agent and the one that took its task over) stand there as one.
 */
const ownFigures = (run: RunReader, integration: string): Patches => {
  const byChange = Map.groupBy(
    Object.values(run.facts.workers).filter(({ status }) => status !== "abandoned"),
    ({ changeId }) => changeId,
  );
  return [...byChange].flatMap(([changeId, workers]) => {
    const change = changeId === null ? undefined : run.changes.get(changeId);
    if (!change || change.changeId === integration || change.immutable || change.divergent) return [];
    const { metrics, iterations, score } = figuresTogether(
      run.facts,
      workers.map(({ name }) => name),
    );
    return [{ change: change.changeId, patch: { metrics: metricsTrailer(metrics, iterations, score) } }];
  });
};
