import { Tabs } from "@base-ui/react/tabs";
import { FileText, HardDrive, SquareTerminal } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import type { PreflightView, RunView } from "#shared/contract/views/run.ts";
import { isRoot } from "#shared/domain/change-metadata/address.ts";
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { type SessionView, sessionKindNames } from "#shared/domain/sessions/outside-session.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/prices.ts";
import { counted, formatBytes } from "#shared/domain/text/format-text.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Section } from "../../kit/section.tsx";
import { TodoCount, TodoList } from "../../kit/todo-list.tsx";
import { WorkerTable } from "../../kit/worker-table.tsx";
import { commentsOfRun, useShownComment } from "../../state/comments.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { amendablePlan } from "../../state/plan-amendment.ts";
import { ArchangelsSection } from "../archangel/archangels-section.tsx";
import { CommentList } from "../archangel/comment-card.tsx";
import { amend } from "../plan/plan-actions.ts";
import { WorkflowView } from "../plan/workflow-view.tsx";
import { runLine } from "../run/stages.ts";
import { openReport } from "../runs/runs-store.ts";
import { AgentsTable, workerTree } from "./agents-table.tsx";
import { checkItems, countOpen } from "./check-items.ts";
import { RunRadar } from "./decision-section.tsx";
import { LandedLines } from "./push-line.tsx";
import { RunChecks } from "./run-checks.tsx";
import { TabList } from "./tab-list.tsx";
import { VotesView } from "./votes-view.tsx";
import { ScoreSection } from "./worker-figures.tsx";

type Tab = "overview" | "checks";

/** The tab chosen last, kept while the user walks from change to change. */
let lastTab: Tab = "overview";

/** The run as a whole, and what its result waits for. */
export function RunInspector({ run }: { readonly run: RunView }) {
  const [tab, setTab] = useState<Tab>(lastTab);
  const inbox = useHost((state) => state.inbox);
  const open = countOpen(checkItems(run, inbox, null).filter(({ kind }) => kind !== "card"));
  const wanted = useShownComment(({ comment }) => run.comments.find(({ id }) => id === comment));
  const choose = (next: Tab): void => {
    lastTab = next;
    setTab(next);
  };
  useEffect(() => {
    if (wanted) setTab(wanted.thread ? "checks" : "overview");
  }, [wanted]);
  return (
    <Tabs.Root value={tab} onValueChange={choose} className="flex h-full min-h-0 flex-col">
      <TabList
        label="Views of the run"
        tabs={[
          ["overview", "Overview"],
          ["checks", open === 0 ? "Checks" : `Checks ${open}`],
        ]}
      />
      <Tabs.Panel value={tab} className="relative min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {tab === "overview" ? <RunOverview run={run} /> : <RunChecks run={run} />}
      </Tabs.Panel>
    </Tabs.Root>
  );
}

/** ms between two drawings: words of all agents stream in, and a list of fifty takes longer to draw than their lanes. */
const redrawMs = 500;

/** The run as a whole: who works on what, the votes, the result. Drawn at once where it was not just before. */
function RunOverview({ run }: { readonly run: RunView }) {
  const [drawn, setDrawn] = useState(run);
  const drawnAt = useRef(-Infinity);
  useEffect(() => {
    const draw = (): void => {
      drawnAt.current = performance.now();
      setDrawn(run);
    };
    const timer = setTimeout(draw, drawnAt.current + redrawMs - performance.now());
    return () => clearTimeout(timer);
  }, [run]);
  return <Overview run={drawn.id === run.id ? drawn : run} />;
}

const Overview = memo(function Overview({ run }: { readonly run: RunView }) {
  const workers = workerTree(run);
  const inbox = useHost((state) => state.inbox);
  const comments = commentsOfRun(run).filter(({ thread }) => thread === undefined);
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
      {run.preflight && <Preflight look={run.preflight} />}
      <AgentsTable run={run} />
      <SessionsSection sessions={run.sessions} />
      <ArchangelsSection run={run} />
      {comments.length > 0 && (
        <Section title="Comments">
          <CommentList comments={comments} />
        </Section>
      )}
      <LandedLines run={run} />
      <RunWorkflow run={run} />
      <WorkspacesLine run={run} />
      <RunRadar pairs={run.radar} crowds={run.radarCrowds} collisions={run.collisions} />
      {run.phaseVerdicts.map(({ orchestrator, number, validation, rounds }) => {
        const title = `Phase ${number} of ${orchestrator}`;
        return (
          <Section key={title} title={title}>
            <VotesView validation={validation} rounds={rounds} />
          </Section>
        );
      })}
      {run.validation && (
        <Section title="Validation" tabIndex={-1}>
          <VotesView validation={run.validation} rounds={run.rounds} />
        </Section>
      )}
      {run.score && <ScoreSection score={run.score} of="run" />}
      {run.metrics.length > 0 && <Metrics run={run} order={workers.map(({ worker }) => worker.name)} />}
    </div>
  );
});

/** The user's own agents in the repository. What they report is quoted, with where they work. */
function SessionsSection({ sessions }: { readonly sessions: readonly SessionView[] }) {
  if (sessions.length === 0) return null;
  return (
    <Section title="Outside Hox">
      <ul className="flex flex-col gap-1">
        {sessions.map((session) => (
          <SessionRow key={session.name} session={session} />
        ))}
      </ul>
    </Section>
  );
}

function SessionRow({ session }: { readonly session: SessionView }) {
  const { name, kind, goal, plan, todos, files, isWorking, lastActivityAt, folder, source } = session;
  const more = todos.length > 0 || files.length > 0 || plan !== null;
  const line = (
    <span className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 px-1.5 text-left">
      <SquareTerminal size={16} className="mx-[3px] shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5">
          <span className="shrink-0 font-medium">{sessionKindNames[kind]}</span>
          <span className="min-w-0 truncate text-sm text-muted" title={shownText(goal)}>
            {shownText(goal) || "working here"}
          </span>
        </span>
        <span className="flex items-center gap-1.5 text-xs text-faint">
          <code className="truncate font-mono" title={`${shownText(folder)}\nfrom ${shownText(source)}`}>
            {name}
          </code>
          <RelativeTime at={lastActivityAt} className="shrink-0" />
          {isWorking && <Badge tone="info">working</Badge>}
        </span>
      </span>
      <TodoCount todos={todos} />
    </span>
  );
  return (
    <li data-session={name}>
      {more ? (
        <details className="rounded-md">
          <summary className="flex cursor-default list-none rounded-md hover:bg-hover">{line}</summary>
          <div className="flex flex-col gap-2 py-1.5 pr-2 pl-[38px] text-sm">
            {todos.length > 0 && <TodoList todos={todos} />}
            {files.length > 0 && (
              <p className="text-muted">
                Its last turn changed{" "}
                <span className="font-mono text-xs break-words" data-selectable>
                  {files.map(shownText).join(", ")}
                </span>
              </p>
            )}
            <p className="text-xs break-all text-faint" data-selectable>
              {plan === null ? "" : `Plan: ${shownText(plan)} · `}From {shownText(source)}
            </p>
          </div>
        </details>
      ) : (
        line
      )}
    </li>
  );
}

/** How many workspaces the run has and what they take on disk; when it is over, the way to remove them. */
function WorkspacesLine({ run }: { readonly run: RunView }) {
  const workers = run.workers.filter((worker) => worker.workspace !== null);
  if (workers.length === 0) return null;
  const sizes = workers.flatMap((worker) => worker.diskBytes ?? []);
  return (
    <section aria-label="Workspaces" className="flex min-h-7 items-center gap-2 text-sm text-muted">
      <HardDrive size={13} className="shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1 tabular-nums">
        {counted(workers.length, "workspace")}
        {sizes.length > 0 && ` · ${formatBytes(sizes.reduce((all, one) => all + one, 0))}`}
      </span>
      {run.endedAt !== null && (
        <Button size="sm" onClick={() => void remove()}>
          Remove
        </Button>
      )}
    </section>
  );
}

async function remove(): Promise<void> {
  const yes = await confirm({
    title: "Remove the workspaces of ended runs?",
    body: "Their work is kept in their changes. Workspaces with files that jj does not track are kept.",
    action: "Remove the workspaces",
  });
  if (!yes) return;
  await attempt("The workspaces were not removed", async () => {
    const { kept } = await client.run.cleanUp();
    const [first] = kept;
    if (first) notify("warning", `${counted(kept.length, "workspace")} kept: ${first.reason}`, first.remedy);
  });
}

/** What the run does beside its agents, to be changed while it can be, and what that costs. */
function RunWorkflow({ run }: { readonly run: RunView }) {
  const root = run.orchestrators.find(({ name }) => isRoot(name));
  const shares = splitSpending(run.workers, run.budget.byWorker);
  const plan = amendablePlan(run);
  return (
    <>
      {root?.workflow && (
        <WorkflowView
          workflow={root.workflow}
          choices={root.plan?.workflow}
          settled={["contracts"]}
          onEdit={plan ? (edit) => void amend("The workflow was not changed", root.name, edit) : undefined}
        />
      )}
      {shares.overhead.requests + shares.agents.requests > 0 && (
        <p className="text-sm text-muted tabular-nums" data-overhead={shares.ofDollars.toFixed(2)}>
          {overheadLine(shares)}
        </p>
      )}
    </>
  );
}

/** How the project's checks came out before the run began. */
function Preflight({ look }: { readonly look: PreflightView }) {
  return (
    <Section title="Preflight">
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
    </Section>
  );
}

/** In the order of the tree above; who has no place in it, such as a validator, comes after. */
function Metrics({ run, order }: { readonly run: RunView; readonly order: readonly string[] }) {
  const places = new Map(order.map((name, place) => [name, place]));
  const placeOf = (worker: string): number => places.get(worker) ?? order.length;
  const rows = [...run.metrics].sort((a, b) => placeOf(a.worker) - placeOf(b.worker));
  return (
    <Section title="Metrics">
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
    </Section>
  );
}

/** At work; who is still in the first request has none yet. */
function timeOf(msByPhase: Readonly<Record<string, number>>): string {
  const worked = workedMs(msByPhase);
  return worked === 0 ? "–" : duration(worked);
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);
