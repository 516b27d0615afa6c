import { Dialog } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import { Fragment, useEffect, useMemo, useRef, useState } from "react";
import { useReturnedFocus } from "../kit/focus-soon.ts";
import { Keys } from "../kit/keys.tsx";
import { StatusIcon } from "../kit/status-icon.tsx";
import type { Action } from "../registry/action.ts";
import { paletteCommands, refusalOfAction } from "../registry/registry.ts";
import { goToRow } from "../state/go-to.ts";
import { searchChanges, useGraph } from "../state/graph-store.ts";
import { useHost } from "../state/host-store.ts";
import { closeDialogOf } from "../state/selection-store.ts";

const groups: readonly Action["group"][] = [
  ...(["Agents", "Selected", "Go", "Run", "Runs", "Repository", "View", "App"] as const),
];
/** There are many of them: listed only in search results. */
const foundOnly: readonly Action["group"][] = ["Agents", "Runs", "Selected"];
const changesShown = 12;

const heading =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint";
const item =
  "flex h-8 items-center gap-2 rounded-md px-2 data-[selected=true]:bg-selected data-[disabled=true]:opacity-45 cursor-default";

function close(): void {
  // A chosen action may have put its own dialog in this one's place.
  closeDialogOf("palette");
}

type FoundChange = ReturnType<typeof searchChanges>[number];

const searchTextOfChange = ({ subject, change }: FoundChange) => ({
  title: subject,
  words: [change.changeId, change.commitId.slice(0, 12)],
});
const searchTextOfAction = ({ title, words }: Action) => ({ title, words: words?.split(" ") ?? [] });

/** The library chooses the first entry a moment after the list has changed: Enter does not wait for that. */
function runFirst(list: HTMLElement | null): void {
  if (list?.querySelector('[cmdk-item][aria-selected="true"]')) return;
  list?.querySelector<HTMLElement>('[cmdk-item]:not([data-disabled="true"])')?.click();
}

/** Everything that can be done or gone to, found by typing. */
export function Palette() {
  useReturnedFocus(true);
  const [text, setText] = useState("");
  const graph = useGraph((state) => state.graph);
  const found = useMemo(() => (graph ? searchChanges(graph, text, changesShown) : []), [graph, text]);
  // Computed on opening; while a repository is still opening, its actions follow when it is ready.
  const repository = useHost((state) => state.repository?.path ?? null);
  const run = useHost((state) => state.run?.id ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what can be done hangs on these
  const commands = useMemo(() => paletteCommands(), [repository, run]);
  const usable = text.trim() === "" ? commands.filter(({ group }) => !foundOnly.includes(group)) : commands;
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first answer to what was typed is the chosen one
  useEffect(() => {
    if (list.current) list.current.scrollTop = 0;
  }, [text]);
  const choose = (run: () => void): void => {
    close();
    run();
  };
  const changes = answersTo(text, found, searchTextOfChange);
  const sections = [
    {
      ...{ name: "Changes", rank: changes.rank },
      body: <ChangeGroup changes={changes.entries} onChoose={choose} />,
    },
    ...groups.map((group) => {
      const inGroup = usable.filter((action) => action.group === group);
      const { rank, entries } = answersTo(text, inGroup, searchTextOfAction);
      return { name: group, rank, body: <ActionGroup group={group} actions={entries} onChoose={choose} /> };
    }),
  ].sort((one, other) => other.rank - one.rank);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/20" />
        <Dialog.Popup
          finalFocus={false}
          aria-label="Command palette"
          className="fixed top-[14vh] left-1/2 z-40 w-[600px] max-w-[calc(100vw-32px)] -translate-x-1/2 overflow-hidden rounded-lg border bg-raised shadow-pop outline-none"
        >
          <Command
            label="Command palette"
            loop
            shouldFilter={false}
            onKeyDown={({ key }) => key === "Enter" && runFirst(list.current)}
          >
            <Command.Input
              autoFocus
              value={text}
              onValueChange={setText}
              placeholder="Run a command, or go to a change, agent or run…"
              className="h-11 w-full border-b bg-transparent px-4 text-lg outline-none placeholder:text-faint"
            />
            <Command.List ref={list} className={`max-h-[min(380px,60vh)] overflow-y-auto p-1.5 ${heading}`}>
              {sections.every(({ rank }) => rank === 0) && text.trim() !== "" && (
                // A list box without an option is none to a screen reader.
                <Command.Item disabled value="nothing" className="px-2 py-6 text-center text-muted">
                  No command or change matches “{text}”. Try another word, or a change ID.
                </Command.Item>
              )}
              {sections.map(({ name, body }) => (
                <Fragment key={name}>{body}</Fragment>
              ))}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Before a character that begins a word. */
const wordEdge = /[\s/:.,…“”()–—-]/u;

/**
 * How well a command answers what was typed: 0 not at all, 1 best. The typed text as a part of the title comes first;
 * then each word on its own, in the title before among the keywords; last the first letters of the title's words. Letters
 * picked from anywhere are no answer: they find something for nearly every word.
 */
export function paletteRank(title: string, typed: string, keywords: readonly string[] = []): number {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return 1;
  const name = title.toLowerCase();
  const whole = placeOf(name, wanted);
  if (whole > 0) return whole;
  const words = wanted.split(/\s+/u);
  const places = words.map((word) => placeOfWord(name, word, keywords));
  const worst = Math.min(...places);
  if (worst > 0) return worst - 0.01 * places.filter((place) => place < 0.6).length;
  return words.length === 1 && wanted.length > 1 && isPickedFrom(initialsOf(name), wanted) ? 0.2 : 0;
}

function placeOfWord(name: string, word: string, keywords: readonly string[]): number {
  const place = placeOf(name, word);
  if (place >= 0.9) return 0.65;
  if (keywords.some((keyword) => keyword.toLowerCase().startsWith(word))) return 0.5;
  // A word of one or two letters is inside nearly every other.
  return place > 0 && word.length > 2 ? 0.4 : 0;
}

/** In this order, from the first letter on. */
function isPickedFrom(letters: string, wanted: string): boolean {
  let at = 0;
  for (const letter of letters) if (letter === wanted[at]) at += 1;
  return at === wanted.length && letters[0] === wanted[0];
}

const initialsOf = (name: string): string =>
  name
    .split(wordEdge)
    .map((word) => word.charAt(0))
    .join("");

interface Answers<Entry> {
  /** Of the best of them. */
  readonly rank: number;
  readonly entries: readonly Entry[];
}

/**
 * Those that answer what was typed, the best first; those that answer alike, and all while nothing is typed, stay as they were.
 * The library would keep the order that was on screen before, and does not sort the groups.
 */
export function answersTo<Entry>(
  typed: string,
  entries: readonly Entry[],
  searchText: (entry: Entry) => { readonly title: string; readonly words: readonly string[] },
): Answers<Entry> {
  if (typed.trim() === "") return { rank: 0, entries };
  const ranked = entries
    .map((entry) => {
      const { title, words } = searchText(entry);
      return { entry, rank: paletteRank(title, typed, words) };
    })
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  return { rank: ranked[0]?.rank ?? 0, entries: ranked.map(({ entry }) => entry) };
}

/** At the start, at the start of a word, or anywhere; 0: not found. */
function placeOf(text: string, wanted: string): number {
  const at = text.indexOf(wanted);
  if (at < 0) return 0;
  if (at === 0) return 1;
  if (startsOf(text, wanted).some((start) => wordEdge.test(text[start - 1] ?? ""))) return 0.9;
  return wanted.length > 2 ? 0.7 : 0;
}

function startsOf(text: string, wanted: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) starts.push(at);
  return starts;
}

interface ChangeGroupProps {
  readonly changes: readonly FoundChange[];
  readonly onChoose: (run: () => void) => void;
}

function ChangeGroup({ changes, onChoose }: ChangeGroupProps) {
  if (changes.length === 0) return null;
  return (
    <Command.Group heading="Changes">
      {changes.map((found) => (
        <Command.Item
          key={found.key}
          value={`change ${found.key}`}
          onSelect={() => onChoose(() => goToRow(found.key))}
          className={item}
        >
          <span className="flex w-4 justify-center">
            {found.change.metadata.status && <StatusIcon status={found.change.metadata.status} />}
          </span>
          <span className="min-w-0 flex-1 truncate">
            {found.subject || <em className="text-faint">no description</em>}
          </span>
          <span className="font-mono text-xs text-faint">{found.change.changeId.slice(0, 8)}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

interface ActionGroupProps {
  readonly group: Action["group"];
  readonly actions: readonly Action[];
  readonly onChoose: (run: () => void) => void;
}

function ActionGroup({ group, actions, onChoose }: ActionGroupProps) {
  if (actions.length === 0) return null;
  return (
    <Command.Group heading={group === "Selected" ? "Selection" : group}>
      {actions.map((action) => (
        <Command.Item
          key={action.id}
          value={action.title}
          disabled={refusalOfAction(action) !== null}
          title={refusalOfAction(action) ?? undefined}
          onSelect={() => onChoose(action.run)}
          className={item}
        >
          <span className="w-4" />
          <span className="min-w-0 flex-1 truncate">{action.title}</span>
          {action.detail && (
            <span className="max-w-[45%] shrink-0 truncate text-sm text-muted">{action.detail}</span>
          )}
          {action.keys && <Keys keys={action.keys} />}
        </Command.Item>
      ))}
    </Command.Group>
  );
}
