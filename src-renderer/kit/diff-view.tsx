import { parsePatchFiles } from "@pierre/diffs";
import { FileDiff, type FileDiffMetadata } from "@pierre/diffs/react";
import { useMemo } from "react";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";

/** Beyond this a diff is listed by file and opened one file at a time, so that the panel never freezes. */
const eagerLines = 4_000;

interface DiffViewProps {
  /** Git-format diff of any number of files; untrusted text. */
  readonly diff: string;
  readonly theme: "light" | "dark";
  readonly layout?: "unified" | "split";
  /** What is said of a diff without a file. */
  readonly empty?: string;
}

/** A diff of several files for reading. It parses at the edge and says so when the text is not a diff. */
export function DiffView({
  diff,
  theme,
  layout = "unified",
  empty = "This change touches no file.",
}: DiffViewProps) {
  const parsed = useMemo(() => parse(shownText(diff)), [diff]);
  if (parsed.kind === "empty") return <p className="px-3 py-4 text-muted">{empty}</p>;
  if (parsed.kind === "unreadable")
    return (
      <div className="px-3 py-2">
        <p className="mb-2 text-muted">
          This text could not be read as a diff ({parsed.reason}). It is shown as it came.
        </p>
        <pre className="overflow-auto font-mono text-xs whitespace-pre">{shownText(diff)}</pre>
      </div>
    );
  const collapsed = parsed.lines > eagerLines;
  return (
    <div className="diff-view">
      {parsed.files.map((file) => (
        <FileDiff
          key={`${file.prevName ?? ""}→${file.name}`}
          fileDiff={file}
          options={{
            theme: { light: "pierre-light", dark: "pierre-dark" },
            themeType: theme,
            diffStyle: layout,
            diffIndicators: "bars",
            hunkSeparators: "line-info",
            overflow: "wrap",
            lineDiffType: "word",
            collapsed,
          }}
        />
      ))}
    </div>
  );
}

type Parsed =
  | { kind: "empty" }
  | { kind: "unreadable"; reason: string }
  | { kind: "files"; files: readonly FileDiffMetadata[]; lines: number };

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
    return { kind: "files", files, lines: diff.split("\n").length };
  } catch (error) {
    return { kind: "unreadable", reason: error instanceof Error ? error.message : String(error) };
  }
}
