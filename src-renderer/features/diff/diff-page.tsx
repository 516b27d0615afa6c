import { Virtualizer } from "@pierre/diffs/react";
import { Check, ChevronsDownUp, ChevronsUpDown, FolderTree } from "lucide-react";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { linesShownIn } from "../../kit/diff-files.ts";
import { DiffLayoutChoice, NotesAbove } from "../../kit/diff-view.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { TextInput } from "../../kit/field.tsx";
import { FindBar } from "../../kit/find/find-bar.tsx";
import { currentFinder } from "../../kit/find/find-matches.ts";
import { takeKey } from "../../kit/key-table.ts";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { subjectOf, useChange } from "../../state/graph-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { diffKeys, type FilePlace, type LineCursor, stepLine } from "./diff-keys.ts";
import { useDiff } from "./diff-store.ts";
import { Counts, FileSection } from "./file-section.tsx";
import { inTreeOrder, type TreeRow, treeRows } from "./file-tree.ts";
import { drawnLine, useDiffFind } from "./use-diff-find.ts";
import { useLineNotes } from "./use-line-notes.tsx";
import { isSeen, markOf, useViewed } from "./viewed.ts";

/** The diff of one change over the graph: its files as a tree, and all of them below each other. */
export function DiffPage() {
  const changeId = useDiff((state) => state.changeId);
  const change = useChange(changeId);
  if (!change)
    return (
      <EmptyState title="This change no longer exists">
        It was abandoned, or a different repository is open.
      </EmptyState>
    );
  return <DiffOf key={change.changeId} change={change} />;
}

function DiffOf({ change }: { readonly change: Change }) {
  const { commitId } = change;
  // Both at once: most changes are short enough to come in one piece.
  const loaded = useLoaded(commitId, async () => {
    const [files, whole] = await Promise.all([
      client.change.files({ commitId }),
      client.change.diff({ commitId }),
    ]);
    return { commitId, files, diffs: diffsByFile(whole.diff, files, whole.truncated) };
  });
  const value = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!value) return <IndeterminateLine label="Loading the files" />;
  return <FilesOf change={change} {...value} />;
}

/**
 * The parts of a diff by file. Names in a diff may be quoted or ambiguous, so the order decides, which is that of the
 * files.
 * @param diff files from the first one on
 * @param isCut files are missing at its end; where there is one alone, it was cut in its middle
 */
export function diffsByFile(
  diff: string,
  files: readonly FileStat[],
  isCut: boolean,
): ReadonlyMap<string, string> {
  const parts = diff.split(/^(?=diff --git )/mu).filter((part) => part.startsWith("diff --git "));
  return new Map(
    (isCut && parts.length === 1) || parts.length > files.length
      ? []
      : parts.flatMap((part, at): (readonly [string, string])[] => {
          const file = files[at];
          return file && isOf(part, file) ? [[file.path, part]] : [];
        }),
  );
}

/** An ordinary name is held against what the diff says. */
const isOf = (part: string, { path }: FileStat): boolean => {
  const head = part.slice(0, part.indexOf("\n"));
  return head.includes('"') || head.endsWith(` b/${path}`);
};

interface FilesOfProps {
  readonly change: Change;
  /** The commit that files and diffs are of. */
  readonly commitId: string;
  readonly files: readonly FileStat[];
  /** Of the files that came with the whole; the others are read one by one. */
  readonly diffs: ReadonlyMap<string, string>;
}

function FilesOf({ change, commitId, files, diffs }: FilesOfProps) {
  const { changeId } = change;
  const { layout, showsTree, wanted } = useDiff();
  const rows = useMemo(() => treeRows(files), [files]);
  const shown = useMemo(() => inTreeOrder(rows), [rows]);
  const viewed = useViewed(changeId);
  const frame = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const { isOpen, toggle, setAll } = useFolding(shown, viewed);
  const paths = useMemo(() => files.map(({ path }) => path), [files]);
  const { notesOf, elsewhere, onComment } = useLineNotes(change, paths, frame);
  const { cursor, step, leave, onLines } = useLineCursor({ frame, shown, diffs, current, isOpen });
  const { find, isReading } = useDiffFind({
    ...{ commitId, frame, shown, diffs },
    onHit(path) {
      setCurrent(path);
      if (!isOpen(path)) toggle(path);
    },
  });
  const goTo = (path: string): void => {
    setCurrent(path);
    leave();
    frame.current?.querySelector(`[data-file="${CSS.escape(path)}"]`)?.scrollIntoView({ block: "start" });
  };
  useWanted(frame, wanted, goTo);
  const stepLine = (by: 1 | -1): boolean => {
    const next = step(by);
    if (next) setCurrent(next.path);
    return next !== null;
  };
  const place: FilePlace = { changeId, shown, current, viewed, goTo, toggle, cursor, stepLine, onComment };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for whatever has the focus in it
    <div
      ref={frame}
      tabIndex={-1}
      className="flex h-full min-h-0 flex-col outline-none"
      onKeyDown={(event) => takeKey(diffKeys, event, place)}
    >
      <Bar
        change={change}
        files={files}
        seen={shown.filter((file) => isSeen(viewed[file.path], markOf(file, null))).length}
        onAll={setAll}
      />
      {find && <FindBar find={find} label="Find in this diff" isReading={isReading} />}
      {files.length === 0 ? (
        <EmptyState title="This change has no files" />
      ) : (
        <div className="flex min-h-0 flex-1">
          {showsTree && <TreeView rows={rows} current={current} viewed={viewed} onChoose={goTo} />}
          <Virtualizer className="min-w-0 flex-1 overflow-y-auto" contentClassName="min-h-full pb-40">
            <NotesAbove notes={elsewhere} />
            {shown.map((file) => (
              <FileSection
                key={file.path}
                changeId={changeId}
                commitId={commitId}
                file={file}
                layout={layout}
                seen={viewed[file.path]}
                isCurrent={file.path === current}
                isOpen={isOpen(file.path)}
                onToggle={toggle}
                known={diffs.get(file.path)}
                notes={notesOf(file.path)}
                onComment={onComment}
                selectedLine={cursor?.path === file.path ? cursor.line : null}
                onLines={onLines}
              />
            ))}
          </Virtualizer>
        </div>
      )}
    </div>
  );
}

interface TreeViewProps {
  readonly rows: readonly TreeRow[];
  readonly current: string | null;
  readonly viewed: Readonly<Record<string, string>>;
  readonly onChoose: (path: string) => void;
}

/** The files by their folders; a word finds those whose path holds it. */
function TreeView({ rows, current, viewed, onChoose }: TreeViewProps) {
  const [words, setText] = useState("");
  const wanted = words.trim().toLowerCase();
  const shown =
    wanted === ""
      ? rows
      : rows.filter((row) => row.kind === "file" && row.file.path.toLowerCase().includes(wanted));
  return (
    <nav
      aria-label="Files of the change"
      className="flex w-64 shrink-0 flex-col border-r bg-canvas max-[900px]:w-44"
    >
      <div className="p-1.5">
        <TextInput
          aria-label="Find a file"
          placeholder="Find a file"
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-1.5 pb-2">
        {shown.map((row) =>
          row.kind === "folder" ? (
            <li
              key={row.key}
              className="truncate py-0.5 text-xs text-muted"
              style={{ paddingLeft: 4 + row.depth * 12 }}
              title={row.name}
            >
              {shownName(row.name)}
            </li>
          ) : (
            <li key={row.file.path}>
              <button
                type="button"
                aria-current={row.file.path === current}
                title={row.file.path}
                onClick={() => onChoose(row.file.path)}
                style={{ paddingLeft: 4 + (wanted === "" ? row.depth * 12 : 0) }}
                className={cx(
                  "flex w-full items-center gap-1.5 rounded-md py-0.5 pr-1.5 text-left text-sm",
                  row.file.path === current ? "bg-selected" : "hover:bg-hover",
                )}
              >
                <span
                  className={cx(
                    "min-w-0 flex-1 truncate",
                    isSeen(viewed[row.file.path], markOf(row.file, null)) && "text-faint",
                    row.file.kind === "removed" && "line-through",
                  )}
                >
                  {shownName(wanted === "" ? row.name : row.file.path)}
                </span>
                {isSeen(viewed[row.file.path], markOf(row.file, null)) && (
                  <Check size={12} className="shrink-0 text-success" aria-label="viewed" />
                )}
                <Counts file={row.file} />
              </button>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

interface LineCursorOptions {
  readonly frame: RefObject<HTMLElement | null>;
  readonly shown: readonly FileStat[];
  /** Diffs that came with the whole, by path. */
  readonly diffs: ReadonlyMap<string, string>;
  readonly current: string | null;
  readonly isOpen: (path: string) => boolean;
}

/** The cursor of a diff, and what takes it to the next line. */
function useLineCursor({ frame, shown, diffs, current, isOpen }: LineCursorOptions) {
  const [cursor, setCursor] = useState<LineCursor | null>(null);
  const read = useRef(new Map<string, readonly number[]>());
  useEffect(() => {
    if (cursor) bringIntoView(frame.current, cursor);
  }, [cursor, frame]);
  const linesOf = (path: string): readonly number[] => {
    if (!isOpen(path)) return [];
    const known = read.current.get(path);
    if (known) return known;
    const lines = linesShownIn(diffs.get(path) ?? "");
    if (diffs.has(path)) read.current.set(path, lines);
    return lines;
  };
  return {
    cursor,
    /** @returns where it is now; null where there is no line that way */
    step(by: 1 | -1): LineCursor | null {
      const files = shown.map(({ path }) => ({
        path,
        get lines() {
          return linesOf(path);
        },
      }));
      const next = stepLine(files, cursor, by, current);
      if (next) setCursor(next);
      return next;
    },
    leave: (): void => setCursor(null),
    /** A file that did not come with the whole was read. */
    onLines: useCallback((path: string, diff: string): void => {
      read.current.set(path, linesShownIn(diff));
    }, []),
  };
}

/** So much of the page is under the name of the file. */
const head = 44;
const margin = 28;

/** Scrolls as little as shows the line. One of a long file that is not drawn yet is drawn by going near it. */
function bringIntoView(frame: HTMLElement | null, { path, line }: LineCursor): void {
  const section = frame?.querySelector<HTMLElement>(`[data-file="${CSS.escape(path)}"]`);
  const scroller = section?.closest<HTMLElement>(".overflow-y-auto");
  if (!section || !scroller) return;
  const drawn = drawnLine(section, "additions", line);
  const { top, bottom } = scroller.getBoundingClientRect();
  const place = drawn?.getBoundingClientRect();
  if (!place) section.scrollIntoView({ block: "nearest" });
  else if (place.top < top + head) scroller.scrollTop -= top + head - place.top;
  else if (place.bottom > bottom - margin) scroller.scrollTop += place.bottom - bottom + margin;
}

/** Goes to the file that was asked for before the page was on screen, and begins finding where that was asked for. */
function useWanted(
  frame: RefObject<HTMLElement | null>,
  wanted: string | null,
  goTo: (path: string) => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file that is asked for
  useEffect(() => {
    frame.current?.focus();
    if (useDiff.getState().isFindWanted) {
      useDiff.setState({ isFindWanted: false });
      currentFinder()?.open();
    }
    if (wanted === null) return;
    goTo(wanted);
    useDiff.setState({ wanted: null });
  }, [wanted]);
}

/** What is folded: what was seen when the page was opened or is marked as seen, and what a user folds. */
function useFolding(files: readonly FileStat[], viewed: Readonly<Record<string, string>>) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const byPath = useMemo(() => new Map(files.map((file) => [file.path, file])), [files]);
  const isOpen = (path: string): boolean => {
    const file = byPath.get(path);
    return chosen.get(path) ?? !(file && isSeen(viewed[path], markOf(file, null)));
  };
  return {
    isOpen,
    toggle: (path: string) => setChosen(new Map(chosen).set(path, !isOpen(path))),
    setAll: (open: boolean) => setChosen(new Map(files.map(({ path }) => [path, open]))),
  };
}

interface BarProps extends Pick<FilesOfProps, "change" | "files"> {
  readonly seen: number;
  readonly onAll: (open: boolean) => void;
}

function Bar({ change, files, seen, onAll }: BarProps) {
  const { layout, showsTree } = useDiff();
  const sum = (count: (file: FileStat) => number): string =>
    files.reduce((total, file) => total + count(file), 0).toLocaleString("en");
  return (
    <div className="flex shrink-0 items-center gap-2 border-b px-3 py-1.5 text-sm">
      <IconButton
        label="File tree"
        pressed={showsTree}
        className="size-6"
        icon={<FolderTree size={14} />}
        onClick={() => useDiff.setState({ showsTree: !showsTree })}
      />
      <LinkButton
        dir="auto"
        className="min-w-0 truncate font-medium"
        onClick={() => inspect(change.changeId)}
      >
        {subjectOf(change) || change.changeId.slice(0, 8)}
      </LinkButton>
      <span className="shrink-0 text-muted tabular-nums">
        {counted(files.length, "file")} <span className="text-success">+{sum((file) => file.added)}</span>{" "}
        <span className="text-danger">−{sum((file) => file.removed)}</span>
      </span>
      <span className="flex-1" />
      <span role="status" className="shrink-0 text-muted tabular-nums">
        {seen} of {files.length} viewed
      </span>
      <IconButton
        label="Collapse all files"
        className="size-6"
        icon={<ChevronsDownUp size={14} />}
        onClick={() => onAll(false)}
      />
      <IconButton
        label="Expand all files"
        className="size-6"
        icon={<ChevronsUpDown size={14} />}
        onClick={() => onAll(true)}
      />
      <DiffLayoutChoice layout={layout} onChange={(next) => useDiff.setState({ layout: next })} />
    </div>
  );
}
