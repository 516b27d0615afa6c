import { ChevronRight, PencilLine } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import type { FileSide, FileStat } from "#shared/contract/commands/graph.ts";
import { formatBytes } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { type DiffNote, DiffView } from "../../kit/diff-view.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { openIn } from "../../state/open-in.ts";
import { useReplay } from "../../state/replay-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { isSeen, markOf, setViewed } from "./viewed.ts";

interface FileSectionProps {
  readonly changeId: string;
  readonly commitId: string;
  readonly file: FileStat;
  readonly layout: "unified" | "split";
  /** What was noted when it was seen; undefined: it was not. */
  readonly seen: string | undefined;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (path: string) => void;
  /** Its diff, where that came with the whole. */
  readonly known: string | undefined;
  readonly notes: readonly DiffNote[];
  readonly onComment: ((path: string, line: number) => void) | null;
  /** The line that keys are about, where it is in this file. */
  readonly selectedLine: number | null;
  /** Hears the diff once it is read. */
  readonly onLines: (path: string, diff: string) => void;
}

const lineHeight = 20;
/** In pixels, of a file that is not read yet; no browser lays out very much more. */
const maxReservedHeight = 10_000_000;

/** One file of a diff. It is read when it comes near the part that is on screen. */
export const FileSection = memo(function FileSection(props: FileSectionProps) {
  const { changeId, commitId, file, seen, isCurrent, isOpen, onToggle } = props;
  const canOpen = useCanOpen(file);
  const frame = useRef<HTMLElement>(null);
  const isNear = useNear(frame);
  const [diff, setDiff] = useState<string | null>(null);
  const mark = markOf(file, diff);
  const isViewed = isSeen(seen, mark);
  const reserved = Math.min(maxReservedHeight, (file.added + file.removed + 6) * lineHeight);
  return (
    <section
      ref={frame}
      aria-label={shownName(file.path)}
      data-file={file.path}
      data-current={isCurrent || undefined}
      className="border-b data-current:[&>header]:bg-selected"
    >
      <header className="sticky top-0 z-10 flex h-9 items-center gap-2 border-b bg-canvas px-2">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "Collapse" : "Expand"} ${shownName(file.path)}`}
          className="grid size-6 shrink-0 place-items-center rounded-md text-muted hover:bg-hover"
          onClick={() => onToggle(file.path)}
        >
          <ChevronRight size={14} className={cx(isOpen && "rotate-90")} />
        </button>
        <h2 className="min-w-0 flex-1 truncate font-mono text-sm" data-selectable title={file.path}>
          {file.source !== file.path && <span className="text-faint">{shownName(file.source)} → </span>}
          <bdi>{shownName(file.path)}</bdi>
        </h2>
        <Counts file={file} />
        {canOpen && (
          <IconButton
            label={`Open ${shownName(file.path)} in the editor`}
            icon={<PencilLine size={14} />}
            onClick={() => openIn("editor", changeId, { path: file.path })}
          />
        )}
        <label className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
          <input
            type="checkbox"
            checked={isViewed}
            onChange={({ target }) => setViewed(changeId, file.path, target.checked ? mark : null)}
          />
          Viewed
        </label>
      </header>
      {isOpen &&
        (isNear ? (
          <FileBody {...props} commitId={commitId} reserved={reserved} onRead={setDiff} />
        ) : (
          <div style={{ height: reserved }} />
        ))}
    </section>
  );
});

/** What is gone has no place, and a recording has none on this machine. */
function useCanOpen(file: FileStat): boolean {
  const isReplay = useReplay(({ view }) => view !== null);
  return file.kind !== "removed" && !isReplay;
}

export function Counts({ file }: { readonly file: FileStat }) {
  return (
    <span className="flex shrink-0 gap-1.5 text-xs tabular-nums">
      {file.kind !== "modified" && <span className="text-muted">{file.kind}</span>}
      {file.added > 0 && <span className="text-success">+{file.added.toLocaleString("en")}</span>}
      {file.removed > 0 && <span className="text-danger">−{file.removed.toLocaleString("en")}</span>}
    </span>
  );
}

/** True from the moment on when it comes near the part of the page that is on screen. */
function useNear(frame: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = frame.current;
    if (!element || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: "1200px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, isNear]);
  return isNear;
}

interface FileBodyProps extends FileSectionProps {
  readonly reserved: number;
  readonly onRead: (diff: string) => void;
}

function FileBody(props: FileBodyProps) {
  const { known } = props;
  return known === undefined ? <ReadFile {...props} /> : <Lines {...props} diff={known} />;
}

/** A file that is too long to come with the others. */
function ReadFile(props: FileBodyProps) {
  const { commitId, file, reserved } = props;
  const paths = file.source === file.path ? [file.path] : [file.path, file.source];
  const loaded = useLoaded(`${commitId} ${file.path}`, () => client.change.diff({ commitId, paths }));
  const value = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!value) return <div style={{ height: reserved }} aria-busy="true" />;
  return (
    <>
      {value.truncated && (
        <p className="px-4 py-1 text-sm text-warning">File too large. Only the first part is shown.</p>
      )}
      <Lines {...props} diff={value.diff} />
    </>
  );
}

function Lines(props: FileBodyProps & { readonly diff: string }) {
  const { changeId, commitId, file, diff, layout, notes, onComment, selectedLine, onLines, onRead } = props;
  const theme = useShownTheme();
  const canOpen = useCanOpen(file);
  useEffect(() => {
    onRead(diff);
    onLines(file.path, diff);
  }, [diff, onRead, onLines, file.path]);
  return (
    <DiffView
      diff={diff}
      theme={theme}
      layout={layout}
      notes={notes}
      isBare
      empty="Only the file mode changed."
      onComment={onComment}
      selectedLine={selectedLine}
      onOpen={canOpen ? (path, line) => openIn("editor", changeId, { path, line }) : null}
      renderBinary={(path, source) => <BinaryFile commitId={commitId} path={path} source={source} />}
    />
  );
}

interface BinaryFileProps {
  readonly commitId: string;
  readonly path: string;
  readonly source: string;
}

/** What is no text: how large it was and is, and its pictures side by side. */
export function BinaryFile({ commitId, path, source }: BinaryFileProps) {
  const loaded = useLoaded(`${commitId} ${path}`, () => client.change.fileSides({ commitId, path, source }));
  const sides = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!sides) return <div className="h-12" aria-busy="true" />;
  const { before, after } = sides;
  const hasImage = before?.image != null || after?.image != null;
  return (
    <div className="flex flex-col gap-2 px-4 py-3 text-sm">
      <p className="text-muted">
        {hasImage ? "Image" : "Binary file"}: {formatSizeChange(before, after)}
      </p>
      {hasImage && (
        <div className="grid grid-cols-2 gap-3">
          <Picture side={before} path={source} name="Before" />
          <Picture side={after} path={path} name="After" />
        </div>
      )}
    </div>
  );
}

function formatSizeChange(before: FileSide | null, after: FileSide | null): string {
  if (before === null) return after === null ? "no content" : `${formatBytes(after.bytes)}, new`;
  if (after === null) return `${formatBytes(before.bytes)}, deleted`;
  const more = after.bytes - before.bytes;
  const change =
    more === 0 ? "same size" : `${formatBytes(Math.abs(more))} ${more > 0 ? "larger" : "smaller"}`;
  return `${formatBytes(before.bytes)} → ${formatBytes(after.bytes)}, ${change}`;
}

const types: Readonly<Record<string, string>> = { jpg: "jpeg", svg: "svg+xml", ico: "x-icon" };

interface PictureProps {
  readonly side: FileSide | null;
  readonly path: string;
  readonly name: string;
}

function Picture({ side, path, name }: PictureProps) {
  const ending = path.split(".").at(-1)?.toLowerCase() ?? "";
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="text-xs text-faint">{name}</figcaption>
      {side?.image == null ? (
        <div className="grid min-h-24 place-items-center rounded-md border border-dashed text-xs text-faint">
          {side === null ? "does not exist" : "too large to show"}
        </div>
      ) : (
        // A picture runs nothing, also one that is a document.
        <img
          src={`data:image/${types[ending] ?? ending};base64,${side.image}`}
          alt={`${name}: ${shownName(path)}`}
          className="max-h-96 max-w-full self-start rounded-md border bg-sunken object-contain"
        />
      )}
    </figure>
  );
}
