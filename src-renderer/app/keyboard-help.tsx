import { useMemo, useRef, useState } from "react";
import { Dialog } from "../kit/dialog.tsx";
import { EmptyState } from "../kit/empty-state.tsx";
import { SearchInput } from "../kit/field.tsx";
import { shownKeys } from "../kit/key-table.ts";
import { Keys } from "../kit/keys.tsx";
import { registeredActions, registeredKeys } from "../registry/registry.ts";
import { useHost } from "../state/host-store.ts";
import { closeDialog } from "../state/selection-store.ts";

/** Taken by the View menu, or by the browser that the page is in. */
const zoomKeys: readonly HelpLine[] = [
  { keys: "mod+=", what: "zoom in" },
  { keys: "mod+-", what: "zoom out" },
  { keys: "mod+0", what: "reset zoom" },
];

interface HelpLine {
  readonly keys: string;
  /** The last of several. */
  readonly to?: string;
  readonly what: string;
}

export interface HelpPlace {
  readonly title: string;
  readonly lines: readonly HelpLine[];
}

/** Whether a key of a combination is called so: one letter or sign is a key itself, more may be a part of its name. */
const hasKey = ({ keys, to = "" }: HelpLine, typed: string): boolean =>
  `${keys}+${to}`
    .toLowerCase()
    .split("+")
    .flatMap((part) => [part, ...shownKeys(part).map((shown) => shown.toLowerCase())])
    .some((name) => name === typed || (typed.length > 1 && name.includes(typed)));

/** `ctrl+k` asks for both; a lone plus is the key of that name. */
function isByKeys(line: HelpLine, word: string): boolean {
  const typed = word.split("+").filter((part) => part !== "");
  return typed.length === 0 ? hasKey(line, "plus") : typed.every((part) => hasKey(line, part));
}

/** Short words from their beginning, so that a letter finds its key and not every line that it is in. */
const isInText = (text: string, word: string): boolean =>
  word.length > 2
    ? text.includes(word)
    : text
        .split(/[^\p{L}\p{N}]+/u)
        .some((part) => part.startsWith(word) && (word.length > 1 || part === word));

/** The lines that match all words, by place; places without a match are left out. */
export function findKeys(places: readonly HelpPlace[], typed: string): readonly HelpPlace[] {
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return places;
  return places.flatMap(({ title, lines }) => {
    const found = lines.filter((line) => {
      const text = `${title} ${line.what}`.toLowerCase();
      return words.every((word) => isInText(text, word) || isByKeys(line, word));
    });
    return found.length === 0 ? [] : [{ title, lines: found }];
  });
}

/** The keys that work everywhere, and those of each part of the window: what is listed is what is taken. */
function helpPlaces(isDesktop: boolean): readonly HelpPlace[] {
  const everywhere = registeredActions().flatMap(({ keys, title }): HelpLine[] =>
    keys ? [{ keys, what: title }] : [],
  );
  return [
    { title: "Everywhere", lines: everywhere },
    { title: isDesktop ? "Zoom" : "Zoom (browser)", lines: zoomKeys },
    ...registeredKeys().map(({ place, rows }) => ({ title: place, lines: rows })),
  ];
}

const countOf = (places: readonly HelpPlace[]): number =>
  places.reduce((sum, { lines }) => sum + lines.length, 0);

export function KeyboardHelp() {
  const isDesktop = useHost((state) => state.app?.shell === "electron");
  const [typed, setTyped] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const places = useMemo(() => helpPlaces(isDesktop), [isDesktop]);
  const found = useMemo(() => findKeys(places, typed), [places, typed]);
  const isSearching = typed.trim() !== "";
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Keyboard shortcuts"
      isOnlyRead
      width="w-[760px]"
      list={list}
      above={
        <SearchField
          typed={typed}
          onType={setTyped}
          count={countOf(found)}
          total={countOf(places)}
          onScroll={(pages) => list.current?.scrollBy({ top: pages * list.current.clientHeight })}
        />
      }
    >
      {found.length === 0 ? (
        <EmptyState title={`No shortcut matches “${typed.trim()}”`}>
          Search by action or by key, such as “ctrl+k”.
        </EmptyState>
      ) : (
        <div className="columns-2 gap-x-10 max-[700px]:columns-1">
          {found.map(({ title, lines }) => (
            <Lines key={title} title={title} lines={lines} />
          ))}
        </div>
      )}
      {!isSearching && (
        <p className="mt-3 text-muted">
          In the graph, type the start of a description or change ID to jump to it. Ctrl+Enter or ⌘+Enter
          submits a text field. Escape clears a search field, leaves any other field unchanged, and closes a
          page when no field is focused.
        </p>
      )}
    </Dialog>
  );
}

interface SearchFieldProps {
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly count: number;
  readonly total: number;
  /** Moves the list by parts of what is seen of it. */
  readonly onScroll: (pages: number) => void;
}

/** Keys that mean nothing in a field of one line move the list below it. */
const scrolls: Readonly<Record<string, number>> = {
  ArrowDown: 0.1,
  ArrowUp: -0.1,
  PageDown: 0.9,
  PageUp: -0.9,
};

function SearchField({ typed, onType, count, total, onScroll }: SearchFieldProps) {
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const pages = scrolls[event.key];
    if (pages === undefined) return;
    onScroll(pages);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="flex items-center gap-3">
      <SearchInput
        autoFocus
        aria-label="Search the shortcuts"
        placeholder="Action or key"
        value={typed}
        onSearch={onType}
        onKeyDown={onKeyDown}
        className="min-w-0 flex-1"
      />
      <span role="status" className="shrink-0 text-sm text-faint tabular-nums">
        {count === total ? total : `${count} of ${total}`} shortcuts
      </span>
    </search>
  );
}

function Lines({ title, lines }: HelpPlace) {
  return (
    <section className="mb-4" aria-label={title}>
      <h3 className="mb-1 break-after-avoid text-sm font-medium text-muted">{title}</h3>
      <dl>
        {lines.map(({ keys, to, what }) => (
          <div
            key={`${keys} ${what}`}
            className="flex min-h-6 break-inside-avoid items-baseline justify-between gap-4"
          >
            <dt className="first-letter:uppercase">{what}</dt>
            <dd className="flex shrink-0 items-baseline gap-1">
              <Keys keys={keys} />
              {to && (
                <>
                  <span className="text-xs text-faint">to</span>
                  <Keys keys={to} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
