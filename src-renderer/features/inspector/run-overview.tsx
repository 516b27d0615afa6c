import { FileText } from "lucide-react";
import type { FirstLookView } from "#shared/contract/views/first-look.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { workedMs } from "#shared/domain/metrics/worked-time.ts";
import { outcomeText } from "#shared/domain/project/known-failures.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { WorkerTable } from "../../kit/worker-table.tsx";
import { commentsOfRun } from "../../state/comments.ts";
import { useHost } from "../../state/host-store.ts";
import { ArchangelsSection } from "../archangel/archangels-section.tsx";
import { CommentList } from "../archangel/comment-list.tsx";
import { runLine } from "../run/stages.ts";
import { openReport } from "../runs/runs-store.ts";
import { AgentsTable } from "./agents-table.tsx";
import { LandedLines } from "./landed-lines.tsx";
import { RunRadar } from "./radar-section.tsx";
import { RunWorkflow } from "./run-workflow.tsx";
import { ScoreSection } from "./score-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { VotesView } from "./votes-view.tsx";
import { workerTree } from "./worker-tree.ts";
import { WorkspacesLine } from "./workspaces-line.tsx";

/** The run as a whole: who works on what, how the votes stand, what came out. */
export function RunOverview({ run }: { readonly run: RunView }) {
  const workers = workerTree(run);
  const inbox = useHost((state) => state.inbox);
  return (
    // What is placed in it without being seen, such as words for ears, lengthens this and not the window.
    <div className="relative flex h-full flex-col gap-5 overflow-y-auto p-3">
      <header>
        <h2 className="font-semibold text-pretty" data-selectable>
          {run.goal}
        </h2>
        <p className="mt-0.5 text-sm text-muted">
          {runLine(run, inbox)}
          {run.endedAt !== null &&
            ` · ${duration(run.endedAt - run.startedAt)} · ${dollars(run.budget.spent.microDollars)}`}
        </p>
        {run.endedAt !== null && (
          <Button size="sm" look="primary" className="mt-2" onClick={() => openReport(run.id)}>
            <FileText size={13} aria-hidden /> View report
          </Button>
        )}
        {run.failure && (
          <div className="mt-2 rounded-md bg-danger-soft px-3 py-2 text-danger" role="alert">
            <p>{run.failure.reason}</p>
            <p className="mt-1 text-sm">{run.failure.remedy}</p>
          </div>
        )}
      </header>
      {run.firstLook && <FirstLook look={run.firstLook} />}
      <AgentsTable run={run} />
      <SessionsSection sessions={run.sessions} />
      <ArchangelsSection run={run} />
      {run.comments.length > 0 && (
        <section aria-label="Comments">
          <h3 className="mb-1.5 text-sm font-medium text-muted">Comments</h3>
          <CommentList comments={commentsOfRun(run)} />
        </section>
      )}
      <LandedLines run={run} />
      <RunWorkflow run={run} />
      <WorkspacesLine run={run} />
      <RunRadar pairs={run.radar} />
      {run.phaseVerdicts.map(({ orchestrator, number, validation, rounds }) => {
        const title = `Phase ${number} of ${orchestrator}`;
        return (
          <section key={title} aria-label={title}>
            <h3 className="mb-1.5 text-sm font-medium text-muted">{title}</h3>
            <VotesView validation={validation} rounds={rounds} />
          </section>
        );
      })}
      {run.validation && (
        <section aria-label="Validation" tabIndex={-1}>
          <h3 className="mb-1.5 text-sm font-medium text-muted">Validation</h3>
          <VotesView validation={run.validation} rounds={run.rounds} />
        </section>
      )}
      {run.score && <ScoreSection score={run.score} of="run" />}
      {run.metrics.length > 0 && <Metrics run={run} order={workers.map(({ worker }) => worker.name)} />}
    </div>
  );
}

/** How the project's checks came out before the run began. */
function FirstLook({ look }: { readonly look: FirstLookView }) {
  return (
    <section aria-label="Preflight">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Preflight</h3>
      {look.isUnchecked && <p className="text-sm text-warning">No checks run. The result lands unchecked.</p>}
      {look.versions.map((line) => (
        <p key={line} className="text-sm text-warning">
          {shownText(line)}
        </p>
      ))}
      <ul className="flex flex-col gap-0.5 text-sm">
        {look.checks.map((check) => (
          <li key={check.command} className="flex items-baseline gap-2" title={check.command}>
            <span className={check.isLeftOut ? "font-medium line-through" : "font-medium"}>
              {shownText(check.name)}
            </span>
            <span className={check.outcome === "passed" ? "text-success" : "text-warning"}>
              {check.isLeftOut ? "left out" : outcomeText[check.outcome]}
            </span>
            {check.failureCount !== null && (
              <span className="text-muted">{check.failureCount} failed before the run</span>
            )}
            <span className="ml-auto text-xs text-faint tabular-nums">
              {check.outcome === "missing" ? "" : duration(check.ms)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** In the order of the tree above; who has no place in it, such as a validator, comes after. */
function Metrics({ run, order }: { readonly run: RunView; readonly order: readonly string[] }) {
  const places = new Map(order.map((name, place) => [name, place]));
  const placeOf = (worker: string): number => places.get(worker) ?? order.length;
  const rows = [...run.metrics].sort((a, b) => placeOf(a.worker) - placeOf(b.worker));
  return (
    <section aria-label="Metrics">
      <h3 className="mb-1 text-sm font-medium text-muted">Metrics</h3>
      <WorkerTable
        smallHead
        figures={["Calls", "Failed", "Questions", "Conflicts", "Time"]}
        rows={rows.map((row) => ({
          worker: row.worker,
          values: [
            sum(row.toolCalls),
            row.failedCalls,
            row.alignRequests,
            row.conflictsMet,
            timeOf(row.msByPhase),
          ],
        }))}
      />
    </section>
  );
}

/** At work; who is still in the first request has none yet. */
function timeOf(msByPhase: Readonly<Record<string, number>>): string {
  const worked = workedMs(msByPhase);
  return worked === 0 ? "–" : duration(worked);
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);
