import { CircleAlert, Filter, X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import type { SavedFilter } from "#shared/contract/settings.ts";
import { readFilterText } from "#shared/domain/revset/parse.ts";
import type { Failure } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { preferences, saveFilters, usePreference } from "../../state/preferences.ts";
import { useReplay } from "../../state/replay-store.ts";
import { setFilterText, useSelection } from "../../state/selection-store.ts";
import { useFilter } from "../model/filter-store.ts";
import { goToHit } from "../model/hits.ts";
import { CompletionList, optionId } from "./completion-list.tsx";
import { useCompletion } from "./use-completion.ts";

/** Words are searched for; jj's revsets with Hox's own functions are asked. What does not match is dimmed or hidden. */
export function FilterBox() {
  const text = useSelection((state) => state.filterText);
  // A filter is a question to the repository as it is now.
  const isReplay = useReplay((state) => state.view !== null);
  const { commits, failure, of, isSearching } = useFilter();
  const wrong = failure !== null && of === text.trim() ? failure : null;
  const field = useFilterField(text);
  const isRevset = readFilterText(text).kind === "revset";
  return (
    <search className="relative flex min-w-0 flex-1 items-center">
      <FilterMenu disabled={isReplay} />
      <input
        {...field.attributes}
        ref={field.input}
        id="graph-filter"
        type="text"
        role="combobox"
        aria-expanded={field.completion !== null}
        aria-label="Search or filter"
        aria-autocomplete="list"
        aria-invalid={wrong !== null}
        aria-describedby={wrong ? "graph-filter-error" : undefined}
        disabled={isReplay}
        placeholder={
          isReplay ? "No filter during replay" : "Search, or filter: ready(), mine() & conflicts()"
        }
        spellCheck={false}
        autoComplete="off"
        value={text}
        className={cx(
          "h-7 w-full rounded-md border border-transparent bg-sunken pr-32 pl-7 text-sm text-ellipsis outline-none placeholder:font-sans placeholder:text-faint",
          "focus:border-accent focus:bg-surface aria-invalid:border-danger",
          isRevset && "font-mono",
        )}
      />
      {text !== "" && (
        <Found
          onClear={() => {
            setFilterText("");
            field.input.current?.focus();
          }}
          count={wrong ? null : (commits?.size ?? null)}
          isRevset={isRevset}
          isSearching={isSearching}
        />
      )}
      {field.completion && (
        <CompletionList completion={field.completion} marked={field.marked} onChoose={field.choose} />
      )}
      {wrong && !field.completion && (
        <Mistake
          failure={wrong}
          typed={of}
          isRevset={isRevset}
          onSearch={(words) => {
            setFilterText(words);
            field.input.current?.focus();
          }}
        />
      )}
    </search>
  );
}

const suggestions: readonly (readonly [label: string, revset: string])[] = [
  ["Work that can start", "ready()"],
  ["In progress", "status(in_progress)"],
  ["Tasks", "kind(task)"],
  ["Decisions", "kind(mutation)"],
  ["Conflicts", "conflicts()"],
  ["Not yet landed", "mutable()"],
  ["Last week", 'committer_date(after:"1 week ago")'],
];

/** Suggested filters, one's own, and what becomes of what does not match. */
function FilterMenu({ disabled }: { readonly disabled: boolean }) {
  const text = useSelection((state) => state.filterText.trim());
  const hides = useSelection((state) => state.filterHides);
  const saved = usePreference("savedFilters");
  const [naming, setNaming] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label="Suggested filters"
            disabled={disabled}
            className="absolute left-1 z-10 inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text"
          >
            <Filter size={13} aria-hidden />
          </button>
        }
        entries={[
          ...ownEntries(saved, text, () => setNaming(true)),
          ...suggestions.map(([label, revset]) => ({ label, onSelect: () => setFilterText(revset) })),
          "separator" as const,
          {
            label: "Hide changes that do not match",
            checked: hides,
            onSelect: () => useSelection.setState({ filterHides: !hides }),
          },
        ]}
      />
      {naming && <NameFilter text={text} onClose={() => setNaming(false)} />}
    </>
  );
}

function ownEntries(saved: readonly SavedFilter[], text: string, save: () => void): readonly MenuEntry[] {
  const isSaved = saved.some((one) => one.text === text);
  return [
    ...saved.map((one) => ({
      label: one.name,
      checked: one.text === text,
      onSelect: () => setFilterText(one.text),
    })),
    ...(text === "" || isSaved ? [] : [{ label: "Save this filter…", onSelect: save }]),
    ...(saved.length === 0
      ? []
      : [
          {
            label: "Delete a saved filter",
            items: saved.map((one) => ({ label: one.name, danger: true, onSelect: () => forget(one) })),
          },
        ]),
    ...(saved.length > 0 || text !== "" ? ["separator" as const] : []),
  ];
}

const forget = ({ name }: SavedFilter): void =>
  saveFilters(preferences().savedFilters.filter((one) => one.name !== name));

const maxNameLength = 100;

function NameFilter({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const [name, setName] = useState(text.slice(0, maxNameLength));
  const called = name.trim();
  const save = (): void => {
    if (called === "") return;
    const others = preferences().savedFilters.filter((one) => one.name !== called);
    saveFilters([...others, { name: called, text }]);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save this filter"
      description={text}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={called === ""} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <Field label="Name" hint="Saved filters appear in this menu and the command palette.">
        <TextInput
          autoFocus
          maxLength={maxNameLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // Or it would press the button that has the focus once this is closed.
            event.preventDefault();
            save();
          }}
        />
      </Field>
    </Dialog>
  );
}

interface MistakeProps {
  readonly failure: Failure;
  readonly typed: string;
  readonly isRevset: boolean;
  readonly onSearch: (words: string) => void;
}

/** Why it is no revset, where, and the way to what may have been meant. */
function Mistake({ failure: { text, remedy, start, end }, typed, isRevset, onSearch }: MistakeProps) {
  return (
    <div
      id="graph-filter-error"
      role="alert"
      className="appear absolute top-full left-0 z-30 mt-1 flex max-w-full items-start gap-2 rounded-md border bg-raised px-3 py-2 shadow-pop"
    >
      <CircleAlert size={14} className="mt-0.5 shrink-0 text-danger" aria-hidden />
      <div className="min-w-0">
        {start !== null && <Caret text={typed} start={start} end={end ?? start + 1} />}
        <p className="break-words">{text}</p>
        {remedy && <p className="text-muted">{remedy}</p>}
        {isRevset && (
          <button
            type="button"
            className="mt-0.5 rounded-sm font-medium text-accent-text hover:underline"
            onClick={() => onSearch(`"${typed.replaceAll('"', "").replace(/^=/u, "").trim()}"`)}
          >
            Search for this text instead
          </button>
        )}
      </div>
    </div>
  );
}

/** What is typed, with the list of completions below it: arrows mark one, Tab and Enter take it, Escape closes it. */
function useFilterField(text: string) {
  const input = useRef<HTMLInputElement>(null);
  const [cursor, setCursor] = useState(text.length);
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const found = useCompletion(text, Math.min(cursor, text.length));
  const completion = isOpen ? found : null;

  const choose = (index: number): void => {
    const item = found?.items[index];
    if (!found || !item) return;
    const next = text.slice(0, found.from) + item.insert + text.slice(found.to);
    const at = found.from + item.insert.length;
    setFilterText(next);
    setCursor(at);
    setMarked(-1);
    setOpen(item.insert.endsWith("("));
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      if (completion) setOpen(false);
      else if (text === "") document.querySelector<HTMLElement>('[aria-label="Graph"]')?.focus();
      else setFilterText("");
      return;
    }
    if (event.key === "F3" || (event.key === "Enter" && marked < 0)) {
      event.preventDefault();
      setOpen(false);
      goToHit(event.shiftKey ? -1 : 1);
      return;
    }
    if (!completion || event.nativeEvent.isComposing) return;
    const count = completion.items.length;
    if (event.key === "ArrowDown") setMarked((marked + 1) % count);
    else if (event.key === "ArrowUp") setMarked(marked <= 0 ? count - 1 : marked - 1);
    else if (event.key === "Enter") choose(marked);
    else if (event.key === "Tab" && !event.shiftKey && (marked >= 0 || completion.isRevset))
      choose(Math.max(marked, 0));
    else return;
    event.preventDefault();
  };
  return {
    input,
    completion,
    marked,
    choose,
    attributes: {
      "aria-controls": completion ? "graph-filter-options" : undefined,
      "aria-activedescendant": completion && marked >= 0 ? optionId(marked) : undefined,
      onKeyDown,
      onBlur: () => setOpen(false),
      onSelect: ({ currentTarget }: React.SyntheticEvent<HTMLInputElement>) =>
        setCursor(currentTarget.selectionStart ?? text.length),
      onChange: ({ currentTarget }: React.ChangeEvent<HTMLInputElement>) => {
        setFilterText(currentTarget.value);
        setCursor(currentTarget.selectionStart ?? currentTarget.value.length);
        setMarked(-1);
        setOpen(true);
      },
    },
  };
}

interface FoundProps {
  /** Null: not counted yet. */
  readonly count: number | null;
  readonly isRevset: boolean;
  readonly isSearching: boolean;
  readonly onClear: () => void;
}

const Found = ({ count, isRevset, isSearching, onClear }: FoundProps) => (
  <span className="absolute right-1 flex items-center gap-1.5 text-sm text-faint">
    {count !== null && (
      <span aria-live="polite" title="Enter: next match. Shift+Enter: previous match.">
        {count.toLocaleString()} found{isSearching && "…"}
      </span>
    )}
    <span
      className="rounded-sm border px-1 text-xs"
      title={
        isRevset
          ? "Interpreted as a revset. To search for the text, put it in quotes."
          : "Searches titles, descriptions, agents, names and file paths. Start with = for a revset."
      }
    >
      {isRevset ? "revset" : "words"}
    </span>
    <IconButton label="Clear the filter" icon={<X size={13} />} onClick={onClear} className="size-6" />
  </span>
);

/** The revset with the place of the mistake underlined. */
function Caret({
  text,
  start,
  end,
}: {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}) {
  const from = Math.min(start, text.length);
  const to = Math.max(from + 1, Math.min(end, text.length));
  return (
    <pre className="mb-1 overflow-x-auto font-mono text-sm">
      {text}
      {"\n"}
      <span className="text-danger">
        {" ".repeat(from)}
        {"^".repeat(to - from)}
      </span>
    </pre>
  );
}
