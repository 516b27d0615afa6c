import { registerCustomTheme, resolveTheme } from "@pierre/diffs";
import { FileDiff, type FileDiffMetadata } from "@pierre/diffs/react";
import { PencilLine } from "lucide-react";
import { type CSSProperties, type ReactNode, useMemo } from "react";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { LinkButton } from "./button.tsx";
import { closedFiles, lineOfNote, type NotePlace, parseDiff } from "./diff-files.ts";
import { Segmented } from "./segmented.tsx";

/** So many lines are drawn at once, so that the panel never freezes: short files before long ones. */
const eagerLines = 4_000;

/** Something shown below a line of the new side of a file. */
export interface DiffNote extends NotePlace {
  readonly key: string;
  /** Shown at its line or not at all: the line may be of another change. */
  readonly isOnlyAtLine?: boolean;
  readonly content: ReactNode;
}

export type DiffLayout = "unified" | "split";

interface DiffLayoutChoiceProps {
  readonly layout: DiffLayout;
  readonly onChange: (layout: DiffLayout) => void;
}

export const DiffLayoutChoice = ({ layout, onChange }: DiffLayoutChoiceProps) => (
  <Segmented
    label="Layout of the diff"
    value={layout}
    options={[
      { value: "unified", label: "Unified" },
      { value: "split", label: "Split" },
    ]}
    onChange={onChange}
  />
);

interface DiffViewProps {
  /** Git-format diff of any number of files; untrusted text. */
  readonly diff: string;
  readonly theme: "light" | "dark";
  readonly layout?: DiffLayout;
  /** What is said of a diff without a file. */
  readonly empty?: string;
  /** Notes whose line the diff does not show are listed above it. */
  readonly notes?: readonly DiffNote[];
  /** Without file names: the caller shows the name of its one file. */
  readonly isBare?: boolean;
  /** Begins a comment on a line of the new side. */
  readonly onComment?: ((path: string, line: number) => void) | null;
  /** The line of the new side that keys are about. */
  readonly selectedLine?: number | null;
  /** Opens a line of the new side elsewhere. */
  readonly onOpen?: ((path: string, line: number) => void) | null;
  /** Opens a file that is too long for here elsewhere. */
  readonly onOpenLong?: ((path: string) => void) | null;
  /** What is no text: instead of lines. */
  readonly renderBinary?: (path: string, source: string) => ReactNode;
}

/**
 * Two buttons are wider than a one-digit number, and overflow of the gutter is cut off. The library adds three characters
 * next to the number and, at its edge, a bar of 4 px.
 */
const roomForBoth: CSSProperties & Record<"--diffs-min-number-column-width", string> = {
  "--diffs-min-number-column-width": "calc(2 * var(--spacing) * 5 + var(--spacing) * 0.5 + 6px - 3ch)",
};

/** What `app/theme.css` says for the rest of the window. */
const findStyle = "::highlight(find) { background-color: var(--warning); color: var(--surface); }";

const noneClosed: ReadonlySet<number> = new Set();
const noNotes: readonly DiffNote[] = [];

/** A diff of several files for reading. It parses at the edge and says so when the text is not a diff. */
export function DiffView({
  diff,
  theme,
  layout = "unified",
  empty = "This change has no files.",
  notes = noNotes,
  isBare = false,
  onComment = null,
  onOpen = null,
  selectedLine = null,
  onOpenLong = null,
  renderBinary,
}: DiffViewProps) {
  const parsed = useMemo(() => parseDiff(shownText(diff)), [diff]);
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
          This text could not be parsed as a diff ({parsed.reason}). It is shown unmodified.
        </p>
        <pre className="overflow-auto font-mono text-xs whitespace-pre">{shownText(diff)}</pre>
      </div>
    );
  const placed = new Set(
    notes
      .filter((note) => parsed.files.some((file) => lineOfNote(file, note) !== null))
      .map(({ key }) => key),
  );
  const closed = isBare
    ? noneClosed
    : closedFiles(
        parsed.files.map(({ unifiedLineCount }) => unifiedLineCount),
        eagerLines,
      );
  const isWithBoth = onComment !== null && onOpen !== null;
  return (
    <div className="diff-view" style={isWithBoth ? roomForBoth : undefined}>
      <NotesAbove notes={notes.filter(({ key }) => !placed.has(key))} />
      {parsed.files.map((file, at) =>
        parsed.binaries.has(at) ? (
          <div key={`${file.prevName ?? ""}→${file.name}`}>
            {!isBare && <p className="border-y bg-canvas px-3 py-1.5 font-mono text-xs">{file.name}</p>}
            {renderBinary?.(file.name, file.prevName ?? file.name) ?? (
              <p className="px-3 py-2 text-sm text-muted">Binary file. No lines to show.</p>
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
            isClosed={closed.has(at)}
            onOpenLong={onOpenLong}
            onComment={onComment}
            onOpen={onOpen}
            selectedLine={selectedLine}
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
  readonly isClosed: boolean;
  readonly onOpenLong: ((path: string) => void) | null;
  readonly onComment: LineAction;
  readonly onOpen: LineAction;
  readonly selectedLine: number | null;
}

type LineAction = ((path: string, line: number) => void) | null;

function TextFile(props: TextFileProps) {
  const {
    file,
    notes,
    theme,
    layout,
    isBare,
    isLong,
    isClosed,
    onOpenLong,
    onComment,
    onOpen,
    selectedLine,
  } = props;
  const own = notes.flatMap((note) => {
    const line = lineOfNote(file, note);
    return line === null ? [] : [{ side: "additions" as const, lineNumber: line, metadata: note }];
  });
  const selected = useMemo(
    () =>
      selectedLine === null ? null : { start: selectedLine, end: selectedLine, side: "additions" as const },
    [selectedLine],
  );
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
  // A file with a note is opened, so that the note is visible.
  const isCollapsed = isClosed && own.length === 0;
  return (
    <>
      <FileDiff<DiffNote>
        fileDiff={file}
        lineAnnotations={own}
        selectedLines={selected}
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
          unsafeCSS: findStyle,
          collapsed: isCollapsed,
        }}
      />
      {isCollapsed && <LongFile file={file} onOpen={onOpenLong} />}
    </>
  );
}

/** Brightest and darkest text colour with a contrast of 4.5 to an added or removed word. */
const limits = { light: 0.1, dark: 0.46 } as const;

type Rgb = readonly [red: number, green: number, blue: number];

const parse = (hex: string): Rgb | null => {
  const digits = /^#([0-9a-f]{6})/iu.exec(hex)?.[1];
  if (!digits) return null;
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const write = (colour: Rgb): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/** Relative luminance as WCAG 2 has it, 0 to 1. */
export function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number): number =>
    part <= 10.31 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The same hue, as dark or as bright as it has to be. What is no colour of six digits stays as it is. */
export function readable(hex: string, theme: "light" | "dark"): string {
  let colour = parse(hex);
  if (colour === null) return hex;
  const isReadable = (one: Rgb): boolean =>
    theme === "light" ? luminance(one) <= limits.light : luminance(one) >= limits.dark;
  const end = theme === "light" ? 0 : 255;
  while (!isReadable(colour)) {
    const [red, green, blue]: Rgb = colour;
    const nearer = (part: number): number => part + (end - part) * 0.08;
    colour = [nearer(red), nearer(green), nearer(blue)];
  }
  return write(colour);
}

const nameOf = (theme: "light" | "dark") => `hox-${theme}`;

/**
 * The colours of code in a diff: those of the library's themes, as far from each line's ground as text has to be.
 */
const codeThemes = { light: nameOf("light"), dark: nameOf("dark") } as const;

for (const theme of ["light", "dark"] as const)
  registerCustomTheme(nameOf(theme), async () => {
    const { textmate } = await resolveTheme(`pierre-${theme}`);
    if (!textmate) throw new Error(`There are no colours for code in the theme pierre-${theme}.`);
    const settings = (textmate.settings ?? []).map((rule) => {
      const { foreground } = rule.settings;
      return foreground === undefined
        ? rule
        : { ...rule, settings: { ...rule.settings, foreground: readable(foreground, theme) } };
    });
    return { ...textmate, name: nameOf(theme), settings };
  });

interface LongFileProps {
  readonly file: FileDiffMetadata;
  readonly onOpen: ((path: string) => void) | null;
}

/** In place of the lines of a file that is too long to be drawn beside the others. */
const LongFile = ({ file, onOpen }: LongFileProps) => (
  <p className="flex items-center gap-2 border-b px-3 py-1.5 text-sm text-muted">
    {file.unifiedLineCount.toLocaleString("en")} lines: too large to show here.
    {onOpen && (
      <LinkButton className="font-medium" onClick={() => onOpen(file.name)}>
        Open this file
      </LinkButton>
    )}
  </p>
);

/** Those whose line the diff does not show, each with where it is about. */
export function NotesAbove({ notes }: { readonly notes: readonly DiffNote[] }) {
  const shown = notes.filter(({ isOnlyAtLine = false }) => !isOnlyAtLine);
  if (shown.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 px-3 py-1.5">
      {shown.map(({ key, path, line, lineText, content }) => (
        <div key={key}>
          <p className="mb-0.5 truncate text-xs text-faint">
            <span className="font-mono">{`${shownName(path)}:${line}`}</span>, next to this diff
            {lineText !== undefined && lineText.trim() !== "" && (
              <>
                : <code className="font-mono">{shownLine(lineText.trim())}</code>
              </>
            )}
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
