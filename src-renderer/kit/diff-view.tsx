import { parsePatchFiles } from "@pierre/diffs";
import { FileDiff, type FileDiffMetadata } from "@pierre/diffs/react";
import { PencilLine } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { codeThemes } from "./code-themes.ts";

/** Beyond this a diff is listed by file and opened one file at a time, so that the panel never freezes. */
const eagerLines = 4_000;

/** Something that stands below a line of the new side of a file. */
export interface DiffNote {
  readonly key: string;
  readonly path: string;
  /** From 1 on. */
  readonly line: number;
  readonly content: ReactNode;
}

interface DiffViewProps {
  /** Git-format diff of any number of files; untrusted text. */
  readonly diff: string;
  readonly theme: "light" | "dark";
  readonly layout?: "unified" | "split";
  /** What is said of a diff without a file. */
  readonly empty?: string;
  /** Those whose line the diff does not show stand above it. */
  readonly notes?: readonly DiffNote[];
  /** Without the names of files: whoever shows one file says its name. */
  readonly isBare?: boolean;
  /** Begins a comment on a line of the new side. */
  readonly onComment?: ((path: string, line: number) => void) | null;
  /** Opens a line of the new side elsewhere. */
  readonly onOpen?: ((path: string, line: number) => void) | null;
  /** What is no text: instead of lines. */
  readonly renderBinary?: (path: string, source: string) => ReactNode;
}

const noNotes: readonly DiffNote[] = [];

/** A diff of several files for reading. It parses at the edge and says so when the text is not a diff. */
export function DiffView({
  diff,
  theme,
  layout = "unified",
  empty = "This change touches no file.",
  notes = noNotes,
  isBare = false,
  onComment = null,
  onOpen = null,
  renderBinary,
}: DiffViewProps) {
  const parsed = useMemo(() => parse(shownText(diff)), [diff]);
  if (parsed.kind === "empty")
    return (
      <>
        <NotesAbove notes={notes} />
        <p className="px-3 py-4 text-muted">{empty}</p>
      </>
    );
  if (parsed.kind === "unreadable")
    return (
      <div className="px-3 py-2">
        <NotesAbove notes={notes} />
        <p className="mb-2 text-muted">
          This text could not be read as a diff ({parsed.reason}). It is shown as it came.
        </p>
        <pre className="overflow-auto font-mono text-xs whitespace-pre">{shownText(diff)}</pre>
      </div>
    );
  const placed = new Set(
    notes.filter((note) => parsed.files.some((file) => isShownIn(file, note))).map(({ key }) => key),
  );
  return (
    <div className="diff-view">
      <NotesAbove notes={notes.filter(({ key }) => !placed.has(key))} />
      {parsed.files.map((file, at) =>
        parsed.binaries.has(at) ? (
          <div key={`${file.prevName ?? ""}→${file.name}`}>
            {!isBare && <p className="border-y bg-canvas px-3 py-1.5 font-mono text-xs">{file.name}</p>}
            {renderBinary?.(file.name, file.prevName ?? file.name) ?? (
              <p className="px-3 py-2 text-sm text-muted">Binary file: there are no lines to show.</p>
            )}
          </div>
        ) : (
          <TextFile
            key={`${file.prevName ?? ""}→${file.name}`}
            file={file}
            notes={notes}
            theme={theme}
            layout={layout}
            isBare={isBare}
            isLong={parsed.lines > eagerLines}
            onComment={onComment}
            onOpen={onOpen}
          />
        ),
      )}
    </div>
  );
}

interface TextFileProps extends Required<Pick<DiffViewProps, "theme" | "layout" | "notes" | "isBare">> {
  readonly file: FileDiffMetadata;
  /** Not all of the diff can be drawn at once. */
  readonly isLong: boolean;
  readonly onComment: LineAction;
  readonly onOpen: LineAction;
}

type LineAction = ((path: string, line: number) => void) | null;

function TextFile({ file, notes, theme, layout, isBare, isLong, onComment, onOpen }: TextFileProps) {
  const own = notes.filter((note) => isShownIn(file, note));
  const hasActions = onComment !== null || onOpen !== null;
  const actions = hasActions && {
    renderGutterUtility: (hovered: () => { lineNumber: number; side?: string } | undefined) => {
      const at = (act: NonNullable<LineAction>) => () => {
        const line = hovered();
        if (line && line.side !== "deletions") act(file.name, line.lineNumber);
      };
      return (
        <span className="flex gap-0.5">
          {onOpen && (
            <LineButton label="Open this line in the editor" onClick={at(onOpen)}>
              <PencilLine size={12} aria-hidden />
            </LineButton>
          )}
          {onComment && (
            <LineButton label="Comment on this line" onClick={at(onComment)}>
              +
            </LineButton>
          )}
        </span>
      );
    },
  };
  return (
    <FileDiff<DiffNote>
      fileDiff={file}
      lineAnnotations={own.map((note) => ({ side: "additions", lineNumber: note.line, metadata: note }))}
      renderAnnotation={({ metadata }) => <div className="px-2 py-1.5">{metadata.content}</div>}
      {...actions}
      options={{
        theme: codeThemes,
        themeType: theme,
        diffStyle: layout,
        diffIndicators: "bars",
        hunkSeparators: "line-info",
        // Lines of one height make a file of any length one that can be scrolled.
        overflow: isLong ? "scroll" : "wrap",
        lineDiffType: "word",
        disableFileHeader: isBare,
        enableGutterUtility: hasActions,
        tokenizeMaxLength: eagerLines,
        // A file with a note is opened: whoever comes for the note wants to see it.
        collapsed: isLong && !isBare && own.length === 0,
      }}
    />
  );
}

const isShownIn = (file: FileDiffMetadata, { path, line }: DiffNote): boolean =>
  file.name === shownName(path) &&
  file.hunks.some(
    ({ additionStart, additionCount }) => line >= additionStart && line < additionStart + additionCount,
  );

function NotesAbove({ notes }: { readonly notes: readonly DiffNote[] }) {
  if (notes.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 px-3 py-1.5">
      {notes.map(({ key, path, line, content }) => (
        <div key={key}>
          <p className="mb-0.5 truncate text-xs text-faint">
            <span className="font-mono">{`${shownName(path)}:${line}`}</span>, beside this diff
          </p>
          {content}
        </div>
      ))}
    </div>
  );
}

interface LineButtonProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** At the line that the pointer is on. */
const LineButton = ({ label, onClick, children }: LineButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    className="pointer-events-auto relative z-10 grid size-5 place-items-center rounded-sm bg-accent text-on-accent"
    onClick={onClick}
  >
    {children}
  </button>
);

/** Places of the files whose content Git calls binary. */
const binariesIn = (diff: string): ReadonlySet<number> =>
  new Set(
    diff
      .split(/^(?=diff --git )/mu)
      .filter((part) => part.startsWith("diff --git "))
      .flatMap((part, at) =>
        /^(?:Binary files .* differ|GIT binary patch)$/mu.test(part.slice(0, 20_000)) ? [at] : [],
      ),
  );

type Parsed =
  | { kind: "empty" }
  | { kind: "unreadable"; reason: string }
  | {
      kind: "files";
      files: readonly FileDiffMetadata[];
      /** Places of those that are no text. */
      binaries: ReadonlySet<number>;
      lines: number;
    };

function parse(diff: string): Parsed {
  if (diff.trim() === "") return { kind: "empty" };
  try {
    const files = parsePatchFiles(diff, { throwOnError: true })
      .flatMap((patch) => patch.files)
      // One line of a page would show a line end in a name as a blank.
      .map((file) => ({
        ...file,
        name: shownName(file.name),
        ...(file.prevName === undefined ? {} : { prevName: shownName(file.prevName) }),
      }));
    if (files.length === 0) return { kind: "unreadable", reason: "no file in it" };
    return { kind: "files", files, binaries: binariesIn(diff), lines: diff.split("\n").length };
  } catch (error) {
    return { kind: "unreadable", reason: error instanceof Error ? error.message : String(error) };
  }
}
