import { type RefObject, useEffect, useMemo, useState } from "react";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { type Find, useFind } from "../../kit/find/find-bar.tsx";
import type { FindHit, FindPiece } from "../../kit/find/find-matches.ts";
import { type Seek, seek } from "../../kit/find/mark-hit.ts";

interface DiffFindOptions {
  readonly commitId: string;
  readonly frame: RefObject<HTMLElement | null>;
  readonly shown: readonly FileStat[];
  /** Diffs that came with the whole, by path. */
  readonly diffs: ReadonlyMap<string, string>;
  readonly onHit: (path: string) => void;
}

/** Finding in all files of a diff: those that are too long to come with the whole are read once the bar is open. */
export function useDiffFind({ commitId, frame, shown, diffs, onHit }: DiffFindOptions) {
  const [read, setRead] = useState<ReadonlyMap<string, string>>(new Map());
  const known = useMemo(() => new Map([...diffs, ...read]), [diffs, read]);
  const find: Find | null = useFind<DiffPlace>({
    frame,
    of: known,
    pieces: () => shown.flatMap(({ path }) => linesOfDiff(path, known.get(path) ?? "")),
    show(hit, query) {
      onHit(hit.key.path);
      return showInDiff(frame.current, hit, query);
    },
  });
  const isOpen = find !== null;
  const missing = isOpen ? shown.find(({ path }) => !known.has(path)) : undefined;
  useEffect(() => {
    if (!missing) return;
    let isWanted = true;
    const { path, source } = missing;
    const keep = (diff: string): void => {
      if (isWanted) setRead((before) => new Map(before).set(path, diff));
    };
    client.change
      .diff({ commitId, paths: source === path ? [path] : [path, source] })
      // The file itself says on the page why it could not be read.
      .then(
        ({ diff }) => keep(diff),
        () => keep(""),
      );
    return () => {
      isWanted = false;
    };
  }, [commitId, missing]);
  return { find, isReading: missing !== undefined };
}

/** The lines of a diff, for finding words in them, and where each is drawn. */
interface DiffPlace {
  readonly path: string;
  readonly side: "additions" | "deletions";
  /** Of its side, from 1 on. */
  readonly line: number;
  /** Of the new side, where it is drawn. */
  readonly near: number;
}

/** Every line of the diff of one file that it shows, in order. */
export function linesOfDiff(path: string, diff: string): readonly FindPiece<DiffPlace>[] {
  const pieces: FindPiece<DiffPlace>[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const text of shownText(diff).split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/u.exec(text.slice(0, 100));
    if (hunk) {
      [before, after, isInHunk] = [Number(hunk[1]), Number(hunk[2]), true];
      continue;
    }
    if (!isInHunk) continue;
    const words = text.slice(1);
    if (text.startsWith("-"))
      pieces.push({ key: { path, side: "deletions", line: before++, near: after }, text: words });
    else if (text.startsWith("+"))
      pieces.push({ key: { path, side: "additions", line: after, near: after++ }, text: words });
    else if (text.startsWith(" ")) {
      pieces.push({ key: { path, side: "additions", line: after, near: after++ }, text: words });
      before += 1;
    }
  }
  return pieces;
}

const lineHeight = 20;

/** Scrolls to a match. Of a long file only what is near the screen is drawn, so it may take several steps. */
function showInDiff(
  frame: HTMLElement | null,
  { key, nthInLine }: FindHit<DiffPlace>,
  query: string,
): () => void {
  const look = (): Seek => {
    const section = frame?.querySelector<HTMLElement>(`[data-file="${CSS.escape(key.path)}"]`);
    const scroller = section?.closest<HTMLElement>(".overflow-y-auto");
    if (!section || !scroller) return "wait";
    const box = drawnLine(section, key.side, key.line);
    if (box) return { box, nth: nthInLine };
    const drawn = drawnLines(section);
    const view = scroller.getBoundingClientRect();
    const place = section.getBoundingClientRect();
    if (drawn.length === 0) {
      if (place.bottom < view.top || place.top > view.bottom) section.scrollIntoView({ block: "start" });
      return "wait";
    }
    const nearest = drawn.reduce((one, other) =>
      Math.abs(other.line - key.near) < Math.abs(one.line - key.near) ? other : one,
    );
    const at = nearest.element.getBoundingClientRect().top + (key.near - nearest.line) * lineHeight;
    scroller.scrollTop += at - view.top - view.height / 2;
    return "wait";
  };
  return seek(look, query);
}

const isDeletion = (element: HTMLElement): boolean => (element.dataset.lineType ?? "").includes("deletion");

function allDrawn(section: Element, selector: string): readonly HTMLElement[] {
  return [...section.querySelectorAll("*")]
    .flatMap(({ shadowRoot }) => (shadowRoot ? [shadowRoot] : []))
    .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)]);
}

const isOfOldSide = (element: HTMLElement): boolean =>
  isDeletion(element) || element.closest("[data-deletions]") !== null;

/** The element of one line; null where it is not drawn. */
export const drawnLine = (
  section: Element,
  side: "additions" | "deletions",
  line: number,
): HTMLElement | null =>
  allDrawn(section, `[data-line="${line}"]`).find(
    (element) => isOfOldSide(element) === (side === "deletions"),
  ) ?? null;

/**
 * The lines of the new side of one file that are drawn; of a long one only those near the screen are.
 */
const drawnLines = (section: Element): readonly { readonly line: number; readonly element: HTMLElement }[] =>
  allDrawn(section, "[data-line]")
    .filter((element) => !isOfOldSide(element))
    .map((element) => ({ line: Number(element.dataset.line), element }));
