import { useVirtualizer } from "@tanstack/react-virtual";
import { Search } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import type { RunListEntry } from "#shared/contract/views/run-list.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { TextInput } from "../../kit/field.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { ComparedRuns } from "./compared-runs.tsx";
import { figuresLine, isMeant, outcomeOf } from "./run-facts.ts";
import { RunReport } from "./run-report.tsx";
import { RunScore } from "./run-score.tsx";
import { chooseRun, compareWith, takenBackRuns, useRuns } from "./runs-store.ts";

/** Every run of the repository, and what came of the chosen one. */
export function RunsPage() {
  const moment = useHost(({ repository, run, inbox }) =>
    run ? `${run.id} ${run.stage} ${inbox.length} ${run.landed?.undoneAt} ${takenBackRuns(repository)}` : "",
  );
  const loaded = useLoaded(moment, () => client.runs.list({}));
  const all = shownValue(loaded);
  const { chosen, other, search } = useRuns();
  const found = useMemo(
    () => (search.trim() === "" ? all : (all?.filter((run) => isMeant(run, search.trim())) ?? null)),
    [all, search],
  );
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!all || !found) return <IndeterminateLine label="Loading runs" />;
  if (all.length === 0)
    return (
      <EmptyState title="No runs yet">
        Every run of this repository is listed here with its report.{" "}
        <button
          type="button"
          className="text-accent-text hover:underline"
          onClick={() => openDialog("start-run")}
        >
          Start one
        </button>
        .
      </EmptyState>
    );
  // Nothing is seen where a run stands beside itself.
  const newest = found.find(({ id }) => id !== other) ?? found[0];
  const shown = all.find(({ id }) => id === chosen) ?? newest ?? null;
  const compared = all.find(({ id }) => id === other && id !== shown?.id) ?? null;
  return (
    <div className="flex h-full min-h-0 max-[860px]:flex-col">
      <section
        aria-label="List of runs"
        className="flex w-[380px] shrink-0 flex-col border-r max-[1100px]:w-[320px] max-[860px]:h-2/5 max-[860px]:w-full max-[860px]:border-r-0 max-[860px]:border-b"
      >
        <SearchBox search={search} count={found.length} total={all.length} />
        <RunList runs={found} shown={shown} compared={compared} />
      </section>
      <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto">
        {shown === null ? (
          <EmptyState title="No runs match">Clear the search to see all runs.</EmptyState>
        ) : compared ? (
          <ComparedRuns one={shown} other={compared} />
        ) : (
          <RunReport entry={shown} />
        )}
      </div>
    </div>
  );
}

interface SearchBoxProps {
  readonly search: string;
  readonly count: number;
  readonly total: number;
}

function SearchBox({ search, count, total }: SearchBoxProps) {
  return (
    <search className="relative flex shrink-0 items-center gap-2 border-b p-2">
      <Search size={13} className="pointer-events-none absolute left-4 text-faint" aria-hidden />
      <TextInput
        type="search"
        aria-label="Search the runs"
        placeholder="Goal, agent, model, outcome"
        value={search}
        onChange={(event) => useRuns.setState({ search: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || search === "") return;
          event.preventDefault();
          useRuns.setState({ search: "" });
        }}
        className="min-w-0 flex-1 pl-7"
      />
      <span role="status" className="shrink-0 text-sm text-faint tabular-nums">
        {count === total ? total : `${count} of ${total}`}
      </span>
    </search>
  );
}

const rowHeight = 68;

interface RunListProps {
  readonly runs: readonly RunListEntry[];
  readonly shown: RunListEntry | null;
  readonly compared: RunListEntry | null;
}

interface RunListPlace extends RunListProps {
  readonly at: number;
}

const toRun =
  (placeOf: (at: number, last: number) => number) =>
  ({ runs, at }: RunListPlace): boolean => {
    const last = runs.length - 1;
    const next = runs[Math.max(0, Math.min(last, placeOf(at, last)))];
    if (next) chooseRun(next.id);
    return next !== undefined;
  };

export const runListKeys: KeyTable<RunListPlace> = {
  place: "In the list of runs",
  rows: [
    { keys: "ArrowUp", what: "the newer run", run: toRun((at) => at - 1) },
    { keys: "ArrowDown", what: "the older run", run: toRun((at) => at + 1) },
    { keys: "Home", what: "the newest run", run: toRun(() => 0) },
    { keys: "End", what: "the oldest run", run: toRun((_, last) => last) },
    {
      keys: "c",
      what: "toggle comparison with another run",
      run({ shown, compared, runs, at }) {
        if (!shown) return false;
        toggleCompared(shown, compared, runs[at + 1] ?? runs[at - 1]);
        return true;
      },
    },
  ],
};

function RunList({ runs, shown, compared }: RunListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
  });
  const at = runs.findIndex(({ id }) => id === shown?.id);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at);
  }, [at, rows]);
  return (
    <div
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label="Runs"
      aria-activedescendant={shown ? `run-${shown.id}` : undefined}
      onKeyDown={(event) => takeKey(runListKeys, event, { runs, at, shown, compared })}
      className="min-h-0 flex-1 overflow-y-auto outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
    >
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const run = runs[index];
          return (
            run && (
              <RunRow
                key={run.id}
                run={run}
                top={start}
                isShown={run.id === shown?.id}
                isCompared={run.id === compared?.id}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** The one that is shown stays what the next ones are compared with. */
function toggleCompared(
  shown: RunListEntry,
  compared: RunListEntry | null,
  neighbour: RunListEntry | undefined,
): void {
  if (compared) compareWith(null);
  else if (neighbour) useRuns.setState({ chosen: neighbour.id, other: shown.id });
}

interface RunRowProps {
  readonly run: RunListEntry;
  readonly top: number;
  readonly isShown: boolean;
  readonly isCompared: boolean;
}

function RunRow({ run, top, isShown, isCompared }: RunRowProps) {
  const outcome = outcomeOf(run);
  const goal = shownLine(run.goal);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list hears the keys
    <div
      role="option"
      id={`run-${run.id}`}
      aria-selected={isShown}
      title={goal}
      onClick={() => chooseRun(run.id)}
      className={cx(
        "absolute inset-x-0 flex cursor-default items-center gap-2.5 border-b px-2",
        isShown ? "bg-selected" : "hover:bg-hover",
        isCompared && "shadow-[inset_3px_0_0_var(--accent)]",
      )}
      style={{ height: rowHeight, transform: `translateY(${top}px)` }}
    >
      <RunScore
        run={run.id}
        moment={`${run.endedAt ?? run.stage} ${run.tasksDone} ${run.landed?.isTakenBack}`}
      />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{goal}</p>
        <p className="flex min-w-0 items-center gap-1.5 text-sm text-muted">
          <Badge tone={outcome.tone}>{shownLine(outcome.text)}</Badge>
          <RelativeTime at={run.startedAt} className="shrink-0" />
        </p>
        <p className="truncate text-xs text-faint tabular-nums">{figuresLine(run, Date.now())}</p>
      </div>
    </div>
  );
}
