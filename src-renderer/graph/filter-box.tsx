import { CircleAlert, Filter, X } from "lucide-react";
import { IconButton } from "../kit/button.tsx";
import { cx } from "../kit/class-names.ts";
import { Menu } from "../kit/menu.tsx";
import { useReplay } from "../state/replay-store.ts";
import { setFilterText, useSelection } from "../state/selection-store.ts";
import { useFilter } from "./model/filter-store.ts";

const suggestions: readonly (readonly [label: string, revset: string])[] = [
  ["Work that can start", "ready()"],
  ["In progress", "status(in_progress)"],
  ["Tasks", "kind(task)"],
  ["Decisions", "kind(mutation)"],
  ["Conflicts", "conflicts()"],
  ["Not yet landed", "mutable()"],
  ["Last week", 'committer_date(after:"1 week ago")'],
];

/** jj's revsets with Hox's own functions; what does not match is dimmed or hidden. */
export function FilterBox() {
  const text = useSelection((state) => state.filterText);
  const hides = useSelection((state) => state.filterHides);
  // A filter is a question to the repository as it is now.
  const isReplay = useReplay((state) => state.view !== null);
  const { commits, failure, of } = useFilter();
  const wrong = failure !== null && of === text.trim() ? failure : null;
  return (
    <search className="relative flex min-w-0 flex-1 items-center">
      <Menu
        trigger={
          <button
            type="button"
            aria-label="Filters to begin with"
            disabled={isReplay}
            className="absolute left-1 z-10 inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text"
          >
            <Filter size={13} aria-hidden />
          </button>
        }
        entries={[
          ...suggestions.map(([label, revset]) => ({ label, onSelect: () => setFilterText(revset) })),
          "separator" as const,
          {
            label: "Hide what does not match",
            checked: hides,
            onSelect: () => useSelection.setState({ filterHides: !hides }),
          },
        ]}
      />
      <input
        id="graph-filter"
        type="text"
        aria-label="Filter by revset"
        aria-invalid={wrong !== null}
        aria-describedby="graph-filter-error"
        disabled={isReplay}
        placeholder={
          isReplay ? "A recording is shown whole" : 'Filter: ready(), agent("agent-1"), mine() & conflicts()'
        }
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setFilterText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          if (text === "") document.querySelector<HTMLElement>('[aria-label="Graph"]')?.focus();
          else setFilterText("");
        }}
        className={cx(
          "h-7 w-full rounded-md border border-transparent bg-sunken pr-20 pl-7 font-mono text-sm text-ellipsis outline-none placeholder:font-sans placeholder:text-faint",
          "focus:border-accent focus:bg-surface aria-invalid:border-danger",
        )}
      />
      {text !== "" && <Found count={wrong ? null : (commits?.size ?? null)} />}
      {wrong && (
        <div
          id="graph-filter-error"
          role="alert"
          className="appear absolute top-full left-0 z-30 mt-1 flex max-w-full items-start gap-2 rounded-md border bg-raised px-3 py-2 shadow-pop"
        >
          <CircleAlert size={14} className="mt-0.5 shrink-0 text-danger" aria-hidden />
          <div className="min-w-0">
            {wrong.start !== null && (
              <Caret text={of} start={wrong.start} end={wrong.end ?? wrong.start + 1} />
            )}
            <p className="break-words">{wrong.text}</p>
            {wrong.remedy && <p className="text-muted">{wrong.remedy}</p>}
          </div>
        </div>
      )}
    </search>
  );
}

/** @param count null: nobody knows it yet */
const Found = ({ count }: { readonly count: number | null }) => (
  <span className="absolute right-1 flex items-center gap-1 text-sm text-faint">
    {count !== null && <span aria-live="polite">{count} found</span>}
    <IconButton
      label="Clear the filter"
      icon={<X size={13} />}
      onClick={() => setFilterText("")}
      className="size-5"
    />
  </span>
);

/** The revset with the place of the mistake underlined. */
function Caret({
  text,
  start,
  end,
}: {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}) {
  const from = Math.min(start, text.length);
  const to = Math.max(from + 1, Math.min(end, text.length));
  return (
    <pre className="mb-1 overflow-x-auto font-mono text-sm">
      {text}
      {"\n"}
      <span className="text-danger">
        {" ".repeat(from)}
        {"^".repeat(to - from)}
      </span>
    </pre>
  );
}
