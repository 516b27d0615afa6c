import { Virtualizer } from "@pierre/diffs/react";
import { ChevronsDownUp, ChevronsUpDown, FolderTree } from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { NotesAbove } from "../../kit/diff-view.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FindBar } from "../../kit/find/find-bar.tsx";
import { currentFinder } from "../../kit/find/find-store.ts";
import { takeKey } from "../../kit/key-table.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { subjectOf, useChange } from "../../state/graph-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { diffKeys, type FilePlace } from "./diff-keys.ts";
import { useDiff } from "./diff-store.ts";
import { diffsByFile } from "./diffs-by-file.ts";
import { FileSection } from "./file-section.tsx";
import { inTreeOrder, treeRows } from "./file-tree.ts";
import { TreeView } from "./tree-view.tsx";
import { useDiffFind } from "./use-diff-find.ts";
import { useLineCursor } from "./use-line-cursor.ts";
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

/** What is folded: what was seen when the page was opened or is marked as seen, and what a person folds. */
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
      <button
        type="button"
        dir="auto"
        className="min-w-0 truncate rounded-sm font-medium text-accent-text hover:underline"
        onClick={() => inspect(change.changeId)}
      >
        {subjectOf(change) || change.changeId.slice(0, 8)}
      </button>
      <span className="shrink-0 text-muted tabular-nums">
        {files.length} {files.length === 1 ? "file" : "files"}{" "}
        <span className="text-success">+{sum((file) => file.added)}</span>{" "}
        <span className="text-danger">−{sum((file) => file.removed)}</span>
      </span>
      <span className="flex-1" />
      <span role="status" className="shrink-0 text-muted tabular-nums">
        {seen} of {files.length} viewed
      </span>
      <Button
        size="sm"
        look="ghost"
        title="Collapse all files"
        aria-label="Collapse all files"
        onClick={() => onAll(false)}
      >
        <ChevronsDownUp size={14} />
      </Button>
      <Button
        size="sm"
        look="ghost"
        title="Expand all files"
        aria-label="Expand all files"
        onClick={() => onAll(true)}
      >
        <ChevronsUpDown size={14} />
      </Button>
      <Segmented
        label="Layout of the diff"
        value={layout}
        options={[
          { value: "unified", label: "Unified" },
          { value: "split", label: "Split" },
        ]}
        onChange={(next) => useDiff.setState({ layout: next })}
      />
    </div>
  );
}
