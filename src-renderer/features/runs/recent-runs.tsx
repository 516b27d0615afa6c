import { Map as MapIcon, Network, Plus } from "lucide-react";
import type { ReactNode } from "react";
import type { RunListEntry } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { figuresLine, outcomeOf } from "./run-facts.ts";
import { RunScore } from "./run-score.tsx";
import { openReport, takenBackRuns } from "./runs-store.ts";

const maxShown = 24;

/** Shown on the canvas while nothing runs: the recent runs, each with a small canvas. */
export function RecentRuns({ onMap }: { readonly onMap: () => void }) {
  const moment = useHost(
    ({ run, repository }) =>
      `${repository?.path} ${run?.id} ${run?.stage} ${run?.landed?.undoneAt} ${takenBackRuns(repository)}`,
  );
  const loaded = useLoaded(moment, () => client.runs.list({}));
  const runs = shownValue(loaded);
  const ways = (
    <span className="flex flex-wrap justify-center gap-2">
      <Button look="primary" size="sm" onClick={() => openDialog("start-run")}>
        <Plus size={14} aria-hidden />
        Give a goal
      </Button>
      <Button size="sm" onClick={onMap}>
        <MapIcon size={13} aria-hidden />
        Show the changes as a map
      </Button>
    </span>
  );
  const content = (): ReactNode => {
    if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
    if (!runs) return <IndeterminateLine label="Loading runs" />;
    if (runs.length > 0) return <Runs runs={runs} ways={ways} />;
    return (
      <EmptyState icon={<Network size={22} />} title="No runs yet" action={ways}>
        Give a goal to start a run. Its agents appear here on a timeline, one lane each.
      </EmptyState>
    );
  };
  // There while it loads, so that the keys are not lost to a host that takes its time.
  return (
    <section
      aria-label="Recent runs"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys, as the graph that it replaces
      tabIndex={0}
      data-instead-of-graph
      className="h-full overflow-y-auto px-6 py-5 outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
    >
      {content()}
    </section>
  );
}

interface RunsProps {
  readonly runs: readonly RunListEntry[];
  readonly ways: ReactNode;
}

function Runs({ runs, ways }: RunsProps) {
  return (
    <div className="mx-auto max-w-[960px]">
      <h2 className="text-lg font-semibold">Recent runs</h2>
      <p className="mt-0.5 mb-3 text-muted">
        No active run. The next run appears here on a timeline, one lane per agent.
      </p>
      <div className="flex">{ways}</div>
      <ul
        aria-label="Recent runs"
        className="mt-4 grid grid-cols-[repeat(auto-fill,minmax(280px,1fr))] gap-2"
      >
        {runs.slice(0, maxShown).map((run) => (
          <li key={run.id}>
            <RecentRun run={run} />
          </li>
        ))}
      </ul>
      {runs.length > maxShown && (
        <LinkButton className="mt-3" onClick={() => openReport(null)}>
          All {runs.length} runs
        </LinkButton>
      )}
    </div>
  );
}

function RecentRun({ run }: { readonly run: RunListEntry }) {
  const outcome = outcomeOf(run);
  const goal = shownLine(run.goal);
  return (
    <button
      type="button"
      title={goal}
      onClick={() => openReport(run.id)}
      className="flex w-full min-w-0 items-center gap-2.5 rounded-lg border p-2 text-left hover:bg-hover"
    >
      <RunScore
        run={run.id}
        moment={`${run.endedAt ?? run.stage} ${run.tasksDone} ${run.landed?.isTakenBack}`}
      />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{goal}</span>
        <span className="flex min-w-0 items-center gap-1.5 text-sm text-muted">
          <Badge tone={outcome.tone}>{shownLine(outcome.text)}</Badge>
          <RelativeTime at={run.startedAt} className="shrink-0 truncate" />
        </span>
        <span className="block truncate text-xs text-muted tabular-nums">{figuresLine(run, Date.now())}</span>
      </span>
    </button>
  );
}
