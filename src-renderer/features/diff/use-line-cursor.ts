import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { linesShownIn } from "../../kit/diff-files.ts";
import { drawnLine } from "./drawn-lines.ts";
import { type LineCursor, stepLine } from "./line-cursor.ts";

interface LineCursorOptions {
  readonly frame: RefObject<HTMLElement | null>;
  readonly shown: readonly FileStat[];
  /** Diffs that came with the whole, by path. */
  readonly diffs: ReadonlyMap<string, string>;
  readonly current: string | null;
  readonly isOpen: (path: string) => boolean;
}

/** The cursor of a diff, and what takes it to the next line. */
export function useLineCursor({ frame, shown, diffs, current, isOpen }: LineCursorOptions) {
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
