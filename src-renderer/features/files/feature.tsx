import { ChevronRight, File, FileDiff, Folder, FolderTree, PencilLine } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { create } from "zustand";
import type { TreeEntry } from "#shared/domain/files/tree-entries.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { TextInput } from "../../kit/field.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import type { Feature, Page } from "../../registry/feature.ts";
import { subjectOf, useChange, useRefs } from "../../state/graph-store.ts";
import { hasRepository } from "../../state/host-store.ts";
import { openIn } from "../../state/open-in.ts";
import { useReplay } from "../../state/replay-store.ts";
import { showPage, useSelection } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { showDiff } from "../diff/diff-store.ts";

/** The files of the chosen change; those of the working copy where none is. */
function FilesPage() {
  const { workspaces } = useRefs();
  const changeId = useFiles((state) => state.changeId);
  const chosen = useChange(changeId);
  const workingCopy = useChange(workspaces.default ?? null);
  const change = chosen ?? workingCopy;
  if (!change) return <EmptyState title="No change selected" />;
  return <FilesOf key={change.changeId} change={change} />;
}

/** Which change's files are on screen. */
const filesPage = "files";

/** Null: the working copy. */
const useFiles = create<{ readonly changeId: string | null }>(() => ({ changeId: null }));

function showFiles(changeId: string | null): void {
  useFiles.setState({ changeId });
  showPage(filesPage);
}

function FilesOf({ change }: { readonly change: Change }) {
  const { changeId, commitId } = change;
  const [text, setText] = useState("");
  const wanted = text.trim();
  const tree = useFolders(commitId);
  const found = useLoaded(`${commitId} ${wanted}`, async () =>
    wanted === "" ? null : client.change.folder({ commitId, folder: "", text: wanted }),
  );
  const touched = shownValue(useLoaded(commitId, () => client.change.files({ commitId })));
  const inDiff = useMemo(() => new Set(touched?.map(({ path }) => path)), [touched]);
  const isReplay = useReplay(({ view }) => view !== null);
  const matches = shownValue(found);
  const rows =
    wanted === ""
      ? rowsOfFolders(tree.folders, tree.expanded)
      : (matches?.entries ?? []).map((entry) => ({
          ...entry,
          name: entry.path,
          level: 1,
          isExpanded: false,
        }));
  const isCut = wanted === "" ? tree.isCut : (matches?.isCut ?? false);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b px-3 py-1.5 text-sm">
        <span dir="auto" className="min-w-0 truncate font-medium">
          {subjectOf(change) || changeId.slice(0, 8)}
        </span>
        <span className="flex-1" />
        <TextInput
          aria-label="Filter files"
          placeholder="Filter files"
          className="max-w-72"
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {tree.failure && <LoadFailure failure={tree.failure} again={() => tree.read("")} />}
      {isCut && (
        <p className="px-3 py-1 text-sm text-muted">
          Only the first files are listed. Filter to find others.
        </p>
      )}
      {rows.length === 0 && !tree.failure ? (
        <EmptyState title={wanted === "" ? "No files" : "No files match"} />
      ) : (
        <Tree
          rows={rows}
          inDiff={inDiff}
          onToggle={tree.toggle}
          onDiff={(path) => showDiff(changeId, path)}
          onEdit={isReplay ? null : (path) => openIn("editor", changeId, { path })}
        />
      )}
    </div>
  );
}

/** The rows of a tree of which each folder is read when it is expanded. */
interface FileRow extends TreeEntry {
  readonly name: string;
  /** From 1 on. */
  readonly level: number;
  readonly isExpanded: boolean;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** @param folders what was read, by folder; the root is the empty one */
export function rowsOfFolders(
  folders: ReadonlyMap<string, readonly TreeEntry[]>,
  expanded: ReadonlySet<string>,
  folder = "",
  level = 1,
): readonly FileRow[] {
  return (folders.get(folder) ?? []).flatMap((entry) => {
    const isExpanded = entry.kind === "folder" && expanded.has(entry.path);
    const row = { ...entry, name: nameOf(entry.path), level, isExpanded };
    return isExpanded ? [row, ...rowsOfFolders(folders, expanded, entry.path, level + 1)] : [row];
  });
}

export const folderAbove = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The folders that were expanded; each is read once for a commit. */
function useFolders(commitId: string) {
  const [folders, setFolders] = useState<ReadonlyMap<string, readonly TreeEntry[]>>(new Map());
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [isCut, setCut] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const newest = useRef(commitId);
  const read = (folder: string): void => {
    client.change.folder({ commitId, folder, text: "" }).then(
      (answer) => {
        if (newest.current !== commitId) return;
        setFailure(null);
        setCut((before) => before || answer.isCut);
        setFolders((before) => new Map(before).set(folder, answer.entries));
      },
      (error: unknown) => newest.current === commitId && setFailure(toFailure(error)),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a rewritten change keeps its expanded folders, read again
  useEffect(() => {
    newest.current = commitId;
    for (const folder of ["", ...expanded]) read(folder);
  }, [commitId]);
  return {
    folders,
    expanded,
    isCut,
    failure,
    read,
    toggle(folder: string): void {
      const next = new Set(expanded);
      if (!next.delete(folder)) {
        next.add(folder);
        if (!folders.has(folder)) read(folder);
      }
      setExpanded(next);
    },
  };
}

interface TreeProps {
  readonly rows: readonly FileRow[];
  readonly inDiff: ReadonlySet<string>;
  readonly onToggle: (folder: string) => void;
  readonly onDiff: (path: string) => void;
  readonly onEdit: ((path: string) => void) | null;
}

function Tree({ rows, inDiff, onToggle, onDiff, onEdit }: TreeProps) {
  const [current, setCurrent] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === current),
  );
  const row = rows[at];
  const go = (to: number): void => {
    const next = rows[Math.max(0, Math.min(to, rows.length - 1))];
    if (!next) return;
    setCurrent(next.path);
    tree.current
      ?.querySelector(`[data-path="${CSS.escape(next.path)}"]`)
      ?.scrollIntoView({ block: "nearest" });
  };
  const open = (one: FileRow): void => (one.kind === "folder" ? onToggle(one.path) : onEdit?.(one.path));
  const place = {
    ...{ go, at, last: rows.length - 1 },
    expand(): void {
      if (row?.kind !== "folder") return;
      if (row.isExpanded) go(at + 1);
      else onToggle(row.path);
    },
    collapse(): void {
      if (row?.isExpanded) onToggle(row.path);
      else if (row) go(rows.findIndex(({ path }) => path === folderAbove(row.path)));
    },
    openFile: (): void => row && open(row),
    openDiff(): boolean {
      if (!row || !inDiff.has(row.path)) return false;
      onDiff(row.path);
      return true;
    },
  };
  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={row ? `file-${at}` : undefined}
      className="min-h-0 flex-1 overflow-y-auto p-1.5 outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
      onKeyDown={(event) => event.target === event.currentTarget && takeKey(filesKeys, event, place)}
    >
      {rows.map((one, index) => (
        <Row
          key={one.path}
          id={`file-${index}`}
          row={one}
          isCurrent={index === at}
          isInDiff={inDiff.has(one.path)}
          onChoose={() => {
            setCurrent(one.path);
            if (one.kind === "folder") onToggle(one.path);
          }}
          {...{ onDiff, onEdit }}
        />
      ))}
    </div>
  );
}

interface FilesPlace {
  readonly go: (to: number) => void;
  readonly at: number;
  readonly last: number;
  readonly expand: () => void;
  readonly collapse: () => void;
  readonly openFile: () => void;
  readonly openDiff: () => boolean;
}

/** The keys of every tree, and what can be done with the file. */
const filesKeys: KeyTable<FilesPlace> = {
  place: "In the file browser",
  rows: [
    { keys: "ArrowDown", what: "the next row", run: ({ go, at }) => go(at + 1) },
    { keys: "ArrowUp", what: "the previous row", run: ({ go, at }) => go(at - 1) },
    { keys: "Home", what: "the first row", run: ({ go }) => go(0) },
    { keys: "End", what: "the last row", run: ({ go, last }) => go(last) },
    {
      keys: "ArrowRight",
      what: "expand the folder, or go to its first entry",
      run: ({ expand }) => expand(),
    },
    {
      keys: "ArrowLeft",
      what: "collapse the folder, or go to its parent",
      run: ({ collapse }) => collapse(),
    },
    {
      keys: "Enter",
      what: "open the file in the editor, or expand the folder",
      run: ({ openFile }) => openFile(),
    },
    {
      keys: "d",
      what: "open the file in the diff, if it changed",
      run: ({ openDiff }) => openDiff(),
    },
  ],
};

interface RowProps extends Pick<TreeProps, "onDiff" | "onEdit"> {
  readonly id: string;
  readonly row: FileRow;
  readonly isCurrent: boolean;
  readonly isInDiff: boolean;
  readonly onChoose: () => void;
}

function Row({ id, row, isCurrent, isInDiff, onChoose, onDiff, onEdit }: RowProps) {
  const name = shownName(row.path);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    <div
      id={id}
      data-path={row.path}
      role="treeitem"
      aria-level={row.level}
      aria-selected={isCurrent}
      {...(row.kind === "folder" ? { "aria-expanded": row.isExpanded } : {})}
      style={{ paddingLeft: 6 + (row.level - 1) * 16 }}
      className={cx(
        "flex h-7 items-center gap-1.5 rounded-md pr-1.5",
        isCurrent ? "bg-selected" : "hover:bg-hover",
      )}
      onClick={onChoose}
      onDoubleClick={() => row.kind === "file" && onEdit?.(row.path)}
    >
      <RowName row={row} />
      {isInDiff && (
        <IconButton
          label={`Open ${name} in the diff`}
          tabIndex={-1}
          className="size-6"
          icon={<FileDiff size={14} />}
          onClick={() => onDiff(row.path)}
        />
      )}
      {row.kind === "file" && onEdit && (
        <IconButton
          label={`Open ${name} in the editor`}
          tabIndex={-1}
          className="size-6"
          icon={<PencilLine size={14} />}
          onClick={() => onEdit(row.path)}
        />
      )}
    </div>
  );
}

const RowName = ({ row: { kind, name, isExpanded } }: { readonly row: FileRow }) => (
  <>
    <ChevronRight
      size={14}
      className={cx("shrink-0 text-faint", isExpanded && "rotate-90", kind === "file" && "invisible")}
      aria-hidden
    />
    {kind === "folder" ? (
      <Folder size={14} className="shrink-0 text-muted" aria-hidden />
    ) : (
      <File size={14} className="shrink-0 text-faint" aria-hidden />
    )}
    <bdi className="min-w-0 flex-1 truncate">{shownName(name)}</bdi>
  </>
);

const page: Page = {
  id: filesPage,
  title: "Files",
  icon: <FolderTree size={15} />,
  keys: "",
  words: "",
  isOfOneChange: true,
  Body: FilesPage,
};

/** Every file of the repository as a change has it. */
export const files: Feature = {
  pages: [page],
  keys: [filesKeys],
  actions: [
    {
      id: "files",
      title: "Browse the files of the repository",
      group: "View",
      words: "tree explorer folder open file",
      available: hasRepository,
      run: () => showFiles(useSelection.getState().selected),
    },
  ],
  changeMenu: {
    order: 0,
    entriesOf: (changeId) => [
      { label: "Browse files", icon: <FolderTree size={14} />, onSelect: () => showFiles(changeId) },
    ],
  },
};
