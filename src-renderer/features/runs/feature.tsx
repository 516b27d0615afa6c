import { useVirtualizer } from "@tanstack/react-virtual";
import { History, X } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import type { RunListEntry } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { SearchInput } from "../../kit/field.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import type { Action } from "../../registry/action.ts";
import { type Feature, type Page, pageAction } from "../../registry/feature.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { moveToLanded } from "./move-to-landed.tsx";
import { comparedFigures, figuresLine, isMeant, outcomeOf } from "./run-facts.ts";
import { RunReport } from "./run-report.tsx";
import { RunScore } from "./run-score.tsx";
import { chooseRun, compareWith, openReport, takenBackRuns, useRuns } from "./runs-store.ts";

/** Every run of the repository, and the result of the selected one. */
function RunsPage() {
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
        <LinkButton onClick={() => openDialog("start-run")}>Start one</LinkButton>.
      </EmptyState>
    );
  // A run is not compared with itself.
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

interface ComparedRunsProps {
  readonly one: RunListEntry;
  readonly other: RunListEntry;
}

/** Comparison of two runs: the older one first, whichever was chosen first. */
function ComparedRuns({ one, other }: ComparedRunsProps) {
  const [before, after] = one.startedAt <= other.startedAt ? [one, other] : [other, one];
  return (
    <section aria-label="Compared runs" className="mx-auto max-w-[860px] px-6 py-5">
      <div className="flex items-center gap-2">
        <h2 className="flex-1 text-lg font-semibold">Comparison of two runs</h2>
        <IconButton label="Stop comparing" icon={<X size={14} />} onClick={() => compareWith(null)} />
      </div>
      <table className="mt-3 w-full table-fixed text-sm">
        <thead>
          <tr className="text-left align-top">
            <td className="w-36" />
            {[before, after].map((run) => (
              <th key={run.id} scope="col" className="pr-4 pb-2 font-normal">
                <span className="line-clamp-2 font-medium" title={shownLine(run.goal)}>
                  {shownLine(run.goal)}
                </span>
                <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
                  <Badge tone={outcomeOf(run).tone}>{shownLine(outcomeOf(run).text)}</Badge>
                  <span className="font-mono text-xs">{run.id.slice(0, 8)}</span>
                </span>
              </th>
            ))}
            <th scope="col" className="w-40 pb-2 text-right font-normal text-faint">
              later run
            </th>
          </tr>
        </thead>
        <tbody>
          <tr className="border-t">
            <th scope="row" className="py-1.5 text-left font-normal text-muted">
              Model
            </th>
            {[before, after].map((run) => (
              <td key={run.id} className="truncate py-1.5 pr-4">
                {shownLine(run.model)}
              </td>
            ))}
            <td />
          </tr>
          {comparedFigures(before, after, Date.now()).map(({ name, values, difference, better }) => (
            <tr key={name} className="border-t">
              <th scope="row" className="py-1.5 text-left font-normal text-muted">
                {name}
              </th>
              {values.map((value, nth) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: the first run and the second
                  key={nth}
                  className={cx("py-1.5 pr-4 tabular-nums", better === nth && "font-medium text-success")}
                >
                  {value}
                </td>
              ))}
              <td className="py-1.5 text-right text-muted tabular-nums">{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SearchBoxProps {
  readonly search: string;
  readonly count: number;
  readonly total: number;
}

function SearchBox({ search, count, total }: SearchBoxProps) {
  return (
    <search className="flex shrink-0 items-center gap-2 border-b p-2">
      <SearchInput
        aria-label="Search the runs"
        placeholder="Goal, agent, model, outcome"
        value={search}
        onSearch={(next) => useRuns.setState({ search: next })}
        className="min-w-0 flex-1"
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

const runListKeys: KeyTable<RunListPlace> = {
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

const page: Page = {
  id: "runs",
  title: "Runs",
  icon: <History size={15} />,
  keys: "alt+3",
  words: "history past list search compare finished report",
  Body: RunsPage,
};

const newest = () => useHost.getState().repository?.runs[0] ?? null;

/** The palette's way to the report on each run. */
const reportCommands = (): readonly Action[] =>
  (useHost.getState().repository?.runs ?? []).map(({ id, goal, stage, startedAt }) => ({
    id: `report-${id}`,
    title: `Report on ${id.slice(0, 8)}: ${shownLine(goal)}`,
    group: "Runs",
    detail: `${stage}, ${new Date(startedAt).toLocaleDateString()}`,
    words: "run past history result",
    run: () => openReport(id),
  }));

/** All runs of this repository, and the result of each. */
export const runs: Feature = {
  pages: [page],
  keys: [runListKeys],
  commands: reportCommands,
  actions: [
    pageAction(page),
    {
      id: "run-report",
      title: "Report on the last run",
      group: "Run",
      words: "what changed decisions checks votes cost left summary markdown",
      available: () => newest() !== null,
      run: () => openReport(newest()?.id ?? null),
    },
    {
      id: "move-to-landed",
      title: "Switch the folder to the landed commit…",
      group: "Run",
      keys: "alt+g",
      words: "catch up working copy update checkout",
      // Whatever landed last, on screen or not; where nothing did, the host says so.
      available: () => !isReplaying() && hasRepository(),
      run: () => void moveToLanded(),
    },
  ],
};
