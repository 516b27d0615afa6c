import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "../button.tsx";
import { TextInput } from "../field.tsx";
import { matches } from "../key-table.ts";
import {
  addFinder,
  type FindHit,
  type FindPiece,
  findMatches,
  hitCountText,
  stepHit,
} from "./find-matches.ts";
import { markRange } from "./mark-hit.ts";

interface FindOptions<Key> {
  readonly frame: RefObject<HTMLElement | null>;
  /** Asked for while the bar is open. */
  readonly pieces: () => readonly FindPiece<Key>[];
  /** Changes whenever the pieces do. */
  readonly of: unknown;
  /** Brings a hit into view and marks it. @returns how to stop doing so */
  readonly show: (hit: FindHit<Key>, query: string) => () => void;
}

export interface Find {
  readonly query: string;
  readonly at: number;
  readonly count: number;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly setQuery: (query: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly close: () => void;
}

/** Finding in one part of the window: its bar's state while it is open, else null. */
export function useFind<Key>({ frame, pieces, of, show }: FindOptions<Key>): Find | null {
  const [isOpen, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const returnTo = useRef<Element | null>(null);
  const wanted = useDeferredValue(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` says when the pieces change
  const hits = useMemo(() => (isOpen ? findMatches(pieces(), wanted) : []), [isOpen, wanted, of]);
  const at = Math.min(chosen, Math.max(0, hits.length - 1));
  const hit = hits[at];
  const identity = hit && JSON.stringify([hit, wanted]);
  const [shownTimes, setShownTimes] = useState(0);

  const step = (by: 1 | -1): void => {
    setChosen(stepHit(at, by, hits.length));
    setShownTimes((times) => times + 1);
  };
  const newest = useRef({ isOpen, step });
  newest.current = { isOpen, step };
  useEffect(() => {
    const open = (): void => {
      if (document.activeElement !== input.current) returnTo.current = document.activeElement;
      setOpen(true);
      input.current?.focus();
      input.current?.select();
    };
    return addFinder({
      frame: () => frame.current,
      open,
      step: (by) => (newest.current.isOpen ? newest.current.step(by) : open()),
    });
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each hit, and again when it is asked for again
  useEffect(() => {
    if (!hit) return;
    const stop = show(hit, wanted);
    return () => {
      stop();
      markRange(null);
    };
  }, [identity, shownTimes]);

  if (!isOpen) return null;
  return {
    ...{ query, at, count: hits.length, input },
    setQuery(next) {
      setQuery(next);
      setChosen(0);
    },
    step,
    close() {
      setOpen(false);
      const back = returnTo.current;
      const target =
        back instanceof HTMLElement && back.isConnected && back !== document.body ? back : frame.current;
      target?.focus({ preventScroll: true });
    },
  };
}

interface FindBarProps {
  readonly find: Find;
  readonly label: string;
  /** More texts are on their way. */
  readonly isReading?: boolean;
}

/** Escape closes it; Enter goes to the next match, Shift+Enter to the one before. */
export function FindBar({ find, label, isReading = false }: FindBarProps) {
  const { query, at, count, input, setQuery, step, close } = find;
  useEffect(() => {
    input.current?.select();
  }, [input]);
  return (
    <search
      aria-label={label}
      className="sticky top-0 z-20 flex shrink-0 items-center gap-1 border-b bg-raised px-2 py-1"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
        else if (matches(event, "enter") && event.target === input.current) step(1);
        else if (matches(event, "shift+enter") && event.target === input.current) step(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <TextInput
        ref={input}
        autoFocus
        aria-label={label}
        placeholder="Find"
        className="max-w-80"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <span role="status" className="min-w-20 px-1 text-sm whitespace-nowrap text-muted tabular-nums">
        {hitCountText(query, at, count)}
        {isReading && " Searching…"}
      </span>
      <IconButton
        label="Previous match (Shift+Enter)"
        className="size-6"
        icon={<ChevronUp size={14} />}
        disabled={count === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label="Next match (Enter)"
        className="size-6"
        icon={<ChevronDown size={14} />}
        disabled={count === 0}
        onClick={() => step(1)}
      />
      <span className="flex-1" />
      <IconButton label="Close (Escape)" className="size-6" icon={<X size={14} />} onClick={close} />
    </search>
  );
}
