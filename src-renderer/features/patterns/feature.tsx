import { BookOpen, CloudDownload } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { PatternPull, PatternView } from "#shared/contract/commands/pattern.ts";
import { client } from "../../client.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { SearchInput } from "../../kit/field.tsx";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { Section } from "../../kit/section.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { type Feature, type Page, pageAction } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import {
  choosePattern,
  openPattern,
  patternBookmark,
  patternPage,
  patternsChanged,
  usePatternBranch,
  usePatternLibrary,
  usePatternMoment,
} from "../../state/pattern-library.ts";
import { openDialog } from "../../state/selection-store.ts";
import { type Loaded, shownValue, useAttempt, useLoaded } from "../../state/use-loaded.ts";
import { PushLine } from "../inspector/push-line.tsx";
import { PatternDetail } from "./pattern-detail.tsx";
import { PatternList, patternKeys } from "./pattern-list.tsx";

/** What earlier runs taught: the list, and beside it the one that is looked at. */
function PatternsPage() {
  const moment = usePatternMoment();
  const loaded = useLoaded(moment, () => client.pattern.list());
  const patterns = useKept(loaded);
  const [came, setCame] = useState<PatternPull | null>(null);
  if (loaded.kind === "failed" && patterns === null)
    return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (patterns === null)
    return (
      <div className="h-full" aria-busy="true">
        <IndeterminateLine label="Loading patterns" />
      </div>
    );
  return (
    <div className="flex h-full flex-col">
      {loaded.kind === "failed" && <LoadFailure failure={loaded.failure} again={loaded.again} />}
      {patterns.length === 0 ? (
        <NoPatterns onCame={setCame} />
      ) : (
        <Library patterns={patterns} onCame={setCame} />
      )}
      {came !== null && <PulledDialog came={came} onClose={() => setCame(null)} />}
    </div>
  );
}

/** The branch compared with its remote; nothing without a remote, or with nothing to share. */
function PushSide() {
  const branch = usePatternBranch();
  return branch === null ? null : <PushLine key={branch} bookmark={patternBookmark} isQuiet />;
}

/** Takes what others share. What came is said by the page: this button goes where the first patterns come. */
function PullButton({ onCame }: { readonly onCame: (came: PatternPull) => void }) {
  const [isPulling, attempt] = useAttempt();
  const pull = (): Promise<boolean> =>
    attempt("No patterns were pulled", async () => {
      onCame(await client.pattern.pull());
      patternsChanged();
    });
  return (
    <Button disabled={isPulling} onClick={() => void pull()}>
      <CloudDownload size={13} aria-hidden />
      {isPulling ? "Pulling…" : "Pull"}
    </Button>
  );
}

/** What came with a pull; each leads to its place in the list. */
function PulledDialog({ came, onClose }: { readonly came: PatternPull; readonly onClose: () => void }) {
  const { remote, received, replaced, kept } = came;
  const isNothing = received.length + replaced.length + kept.length === 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNothing ? `Nothing new on ${remote}` : `Pulled from ${remote}`}
      description={
        isNothing
          ? "You already have all of its patterns."
          : "New patterns are not used until you approve them here."
      }
      actions={
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <Names
        title="New, not approved"
        ids={received.filter((id) => !replaced.includes(id))}
        onChoose={onClose}
      />
      <Names
        title="Changed since you approved it: not used until you approve it again"
        ids={replaced}
        onChoose={onClose}
      />
      <Names title="Changed on both sides: your version was kept" ids={kept} onChoose={onClose} />
    </Dialog>
  );
}

interface NamesProps {
  readonly title: string;
  readonly ids: readonly string[];
  readonly onChoose: () => void;
}

function Names({ title, ids, onChoose }: NamesProps) {
  if (ids.length === 0) return null;
  return (
    <Section title={title} className="mb-3">
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <LinkButton
              className="font-mono text-sm"
              onClick={() => {
                onChoose();
                openPattern(id);
              }}
            >
              {id}
            </LinkButton>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What is loaded twice in a row without an answer between would show nothing meanwhile. */
function useKept<T>(loaded: Loaded<T>): T | null {
  const kept = useRef<T | null>(null);
  const value = shownValue(loaded);
  if (value !== null) kept.current = value;
  return value ?? kept.current;
}

interface LibraryProps {
  readonly patterns: readonly PatternView[];
  readonly onCame: (came: PatternPull) => void;
}

function Library({ patterns, onCame }: LibraryProps) {
  const { selected, words, state } = usePatternLibrary();
  const shown = useMemo(() => matchingPatterns(patterns, { words, state }), [patterns, words, state]);
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLElement>(null);
  const chosen = patterns.find(({ id }) => id === selected) ?? shown[0] ?? null;
  return (
    <>
      <Bar patterns={patterns} shown={shown.length} onDown={() => list.current?.focus()} onCame={onCame} />
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(260px,340px)_1fr] border-t">
        <PatternList
          ref={list}
          patterns={shown}
          chosen={chosen?.id ?? null}
          onChoose={choosePattern}
          onOpen={() => detail.current?.focus()}
        />
        {chosen === null ? (
          <EmptyState title="No patterns match">Change the search, or show all states.</EmptyState>
        ) : (
          <PatternDetail
            key={chosen.id}
            ref={detail}
            pattern={chosen}
            onLeave={() => list.current?.focus()}
          />
        )}
      </div>
    </>
  );
}

/** The text of a pattern that is looked through, once for each list that comes. */
const searched = new WeakMap<PatternView, string>();

function searchedText(pattern: PatternView): string {
  const known = searched.get(pattern);
  if (known !== undefined) return known;
  const { id, title, body, taskTypes, contexts, sourceRun } = pattern;
  const text = [
    id,
    title,
    body,
    ...taskTypes,
    ...contexts.languages,
    ...contexts.folders,
    ...contexts.words,
    sourceRun?.id,
    sourceRun?.goal,
  ]
    .join("\n")
    .toLowerCase();
  searched.set(pattern, text);
  return text;
}

/** Those that have every one of the words somewhere, in the order in which they came. */
export function matchingPatterns(
  patterns: readonly PatternView[],
  { words, state }: { readonly words: string; readonly state: PatternView["state"] | "all" },
): readonly PatternView[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return patterns.filter(
    (pattern) =>
      (state === "all" || pattern.state === state) &&
      wanted.every((word) => searchedText(pattern).includes(word)),
  );
}

interface BarProps extends LibraryProps {
  readonly shown: number;
  readonly onDown: () => void;
}

/** How the list is narrowed down, and how patterns are shared. */
function Bar({ patterns, shown, onDown, onCame }: BarProps) {
  const { words, state } = usePatternLibrary();
  const of = (wanted: PatternView["state"]): number =>
    patterns.filter((pattern) => pattern.state === wanted).length;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 px-4 py-2.5">
      <SearchInput
        aria-label="Search patterns"
        placeholder="Search"
        className="w-56"
        value={words}
        onSearch={(next) => usePatternLibrary.setState({ words: next })}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "Enter") return;
          event.preventDefault();
          onDown();
        }}
      />
      <Segmented
        label="State of the patterns"
        value={state}
        onChange={(next) => usePatternLibrary.setState({ state: next })}
        options={[
          { value: "all", label: "All" },
          { value: "approved", label: `Approved ${of("approved")}` },
          { value: "not-approved", label: `Not approved ${of("not-approved")}` },
          { value: "retired", label: `Retired ${of("retired")}` },
        ]}
      />
      <span className="sr-only" role="status">
        {shown} of {patterns.length} patterns
      </span>
      <span className="flex-1" />
      <PushSide />
      <PullButton onCame={onCame} />
    </div>
  );
}

function NoPatterns({ onCame }: Pick<LibraryProps, "onCame">) {
  const canStart = useHost(({ run, repository }) => !(run && run.endedAt === null) && !repository?.lockedBy);
  return (
    <EmptyState
      icon={<BookOpen size={22} />}
      title="No patterns yet"
      action={
        <div className="flex gap-2">
          {canStart && (
            <Button look="primary" onClick={() => openDialog("start-run")}>
              Start a run
            </Button>
          )}
          <PullButton onCame={onCame} />
        </div>
      }
    >
      Completed runs suggest patterns. The ones you approve are listed here and added to matching tasks. Pull
      to get your team's.
    </EmptyState>
  );
}

const page: Page = {
  id: patternPage,
  title: "Patterns",
  icon: <BookOpen size={15} />,
  keys: "alt+5",
  words: "pattern library learned lessons knowledge approve edit retire restore version pull push evidence",
  Body: PatternsPage,
};

/** What earlier runs taught: read, approved, changed, retired and shared. */
export const patterns: Feature = { pages: [page], actions: [pageAction(page)], keys: [patternKeys] };
