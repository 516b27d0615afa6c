import { CircleDot, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { IssuesView, IssueView, StartIssueView } from "#shared/contract/commands/start.ts";
import { parseIssueReference } from "#shared/domain/forge/forge-address.ts";
import { forgeNames } from "#shared/domain/forge/forge-facts.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../../client.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { cx } from "../../../kit/class-names.ts";
import { FailureLine } from "../../../kit/failure-line.tsx";
import { SearchInput } from "../../../kit/field.tsx";
import {
  type Loaded,
  shownValue,
  useAtRest,
  useAttempt,
  useLoaded,
  useReconnects,
} from "../../../state/use-loaded.ts";
import { IssueRow } from "./issue-row.tsx";

export interface ChosenIssue extends FoundIssue {
  /** The pull request is to be linked there. */
  readonly isLinked: boolean;
}

interface IssueDraft {
  readonly goal: string;
  readonly setGoal: (goal: string) => void;
  readonly issue: ChosenIssue | null;
  readonly setIssue: (issue: ChosenIssue | null) => void;
}

/** The issue that the run begins from. Its goal is the run's, unless the user worded another one. */
export function useIssue({ goal, setGoal, issue, setIssue }: IssueDraft) {
  const [isSearching, setSearching] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // What has the focus disappears.
  const backToButton = (): void => button.current?.focus();
  const isReplaceable = goal.trim() === "" || goal === issue?.goal;
  return {
    ...{ issue, isSearching, button },
    toggle: (): void => setSearching(!isSearching),
    close(): void {
      setSearching(false);
      backToButton();
    },
    choose(found: FoundIssue): void {
      setIssue({ ...found, isLinked: false });
      if (isReplaceable) setGoal(found.goal);
      setSearching(false);
      backToButton();
    },
    remove(): void {
      setIssue(null);
      backToButton();
      if (goal === issue?.goal) setGoal("");
    },
    link: (isLinked: boolean): void => setIssue(issue && { ...issue, isLinked }),
  };
}

type Attachments = readonly { readonly name: string; readonly data: string }[];

/** As a run takes it: the issue, and its text as a file with the others. */
export function issueInput(chosen: ChosenIssue | null, others: Attachments) {
  const attachments = chosen === null ? others : [chosen.attachment, ...others];
  return {
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(chosen === null
      ? {}
      : { issue: { ...chosen.issue, ...(chosen.isLinked ? { isLinked: true } : {}) } }),
  };
}

type IssueFieldProps = ReturnType<typeof useIssue>;

/** Opens the search; beside the other ways to word a goal. */
export const IssueButton = ({ isSearching, toggle, button }: IssueFieldProps) => (
  <Button ref={button} size="sm" look="ghost" aria-expanded={isSearching} onClick={toggle}>
    <CircleDot size={12} aria-hidden />
    From an issue…
  </Button>
);

export function IssueField({ issue, isSearching, close, choose, remove, link }: IssueFieldProps) {
  return (
    <>
      {isSearching && <IssueSearch onChoose={choose} onClose={close} />}
      {issue !== null && <Chosen issue={issue} onRemove={remove} onLink={link} />}
    </>
  );
}

interface ChosenProps {
  readonly issue: ChosenIssue;
  readonly onRemove: () => void;
  readonly onLink: (isLinked: boolean) => void;
}

function Chosen({ issue: chosen, onRemove, onLink }: ChosenProps) {
  const { issue, isOpen, labels, isLinked, noToken } = chosen;
  const hint = useId();
  return (
    <section aria-label="Issue" className="flex flex-col gap-1 rounded-md border px-2 py-1.5 text-sm">
      <div className="flex items-center gap-2">
        <IssueRow number={issue.number} title={issue.title} isOpen={isOpen} labels={labels} />
        <IconButton
          label={`Remove issue #${issue.number}`}
          className="size-6"
          icon={<X size={11} />}
          onClick={onRemove}
        />
      </div>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={isLinked}
          disabled={noToken !== null}
          aria-describedby={hint}
          onChange={(event) => onLink(event.target.checked)}
        />
        Link the pull request on the issue
      </label>
      <p id={hint} className="pl-5 text-xs text-pretty text-muted">
        {noToken === null
          ? "When the draft is open, Hox comments there once; merging it closes the issue. Without this it is only mentioned."
          : `Needs a token. ${noToken}`}
      </p>
    </section>
  );
}

/** As read for a run, with what only the search knew. */
interface FoundIssue extends StartIssueView {
  readonly labels: readonly string[];
  /** How to get a token; null: there is one. */
  readonly noToken: string | null;
}

interface IssueSearchProps {
  readonly onChoose: (issue: FoundIssue) => void;
  readonly onClose: () => void;
}

const askAfterMs = 300;
const noIssues: readonly IssueView[] = [];

/** Finds an issue by words, number or URL; with the arrow keys and Enter, too. */
function IssueSearch({ onChoose, onClose }: IssueSearchProps) {
  const [typed, setTyped] = useState("");
  const words = useAtRest(typed.trim(), askAfterMs);
  const reconnects = useReconnects();
  const loaded = useLoaded(`${reconnects} ${words}`, () => client.start.issues({ typed: words }));
  const found = shownValue(loaded);
  const issues = found?.kind === "found" ? found.issues : noIssues;
  const [active, setActive] = useState(0);
  const [isReading, attempt] = useAttempt();
  const listId = useId();
  const at = Math.min(active, issues.length - 1);
  const isSearching = loaded.kind === "loading" || typed.trim() !== words;

  const choose = (issue: IssueView): void => {
    // One that a URL names may be of another repository.
    const isByUrl = parseIssueReference(words)?.address != null;
    void attempt("The issue was not read", async () => {
      const read = await client.start.issue({ issue: isByUrl ? words : String(issue.number) });
      onChoose({ ...read, labels: issue.labels, noToken: found?.kind === "found" ? found.noToken : null });
    });
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey) return;
    const chosen = issues[at];
    if (event.key === "ArrowDown") setActive(Math.min(at + 1, issues.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(at - 1, 0));
    else if (event.key === "Escape") onClose();
    else if (event.key !== "Enter") return;
    // What is listed is what the last words found.
    else if (chosen !== undefined && !isSearching) choose(chosen);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section aria-label="Start from an issue" className="flex flex-col gap-1 rounded-md border p-2">
      <div className="flex items-center gap-2">
        <SearchInput
          autoFocus
          aria-label="Find an issue"
          placeholder="Words, a number or a URL"
          className="flex-1"
          aria-autocomplete="list"
          aria-controls={issues.length > 0 ? listId : undefined}
          aria-activedescendant={issues.length > 0 ? `${listId}-${at}` : undefined}
          value={typed}
          onSearch={(value) => {
            setTyped(value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Button size="sm" look="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
      <div className="max-h-44 min-h-24 overflow-y-auto" aria-busy={isSearching || isReading}>
        {issues.length > 0 && (
          <div
            id={listId}
            role="listbox"
            aria-label="Issues"
            className={cx((isSearching || isReading) && "opacity-60")}
          >
            {issues.map((issue, place) => (
              <div
                key={issue.url}
                id={`${listId}-${place}`}
                ref={place === at ? scrollToIt : undefined}
                role="option"
                tabIndex={-1}
                aria-selected={place === at}
                // Before the field loses the focus.
                onMouseDown={(event) => {
                  event.preventDefault();
                  if (!isSearching) choose(issue);
                }}
                className={cx(
                  "flex h-7 cursor-default items-center gap-2 rounded-sm px-2 text-sm",
                  place === at ? "bg-selected" : "hover:bg-hover",
                )}
              >
                <IssueRow {...issue} />
              </div>
            ))}
          </div>
        )}
        <SearchState {...{ loaded, words, isSearching }} />
      </div>
      {found?.kind === "found" && <Where found={found} />}
    </section>
  );
}

const scrollToIt = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: "nearest" });
};

interface SearchStateProps {
  readonly loaded: Loaded<IssuesView>;
  readonly words: string;
  readonly isSearching: boolean;
}

/** What there is to say where there is no list. */
function SearchState({ loaded, words, isSearching }: SearchStateProps) {
  if (loaded.kind === "failed")
    return (
      <div className="flex items-start gap-2 px-2 py-1">
        <FailureLine failure={loaded.failure} className="min-w-0 flex-1" />
        <Button size="sm" onClick={loaded.again}>
          Retry
        </Button>
      </div>
    );
  const found = shownValue(loaded);
  if (found === null || (isSearching && found.kind === "found" && found.issues.length === 0))
    return (
      <p role="status" className="px-2 py-1 text-sm text-muted">
        Searching…
      </p>
    );
  if (found.kind === "no-forge")
    return (
      <p role="status" className="px-2 py-1 text-sm text-pretty text-muted" data-selectable>
        {shownLine(found.reason)} {shownLine(found.remedy)}
      </p>
    );
  if (found.issues.length > 0) return null;
  const place = shownName(found.repository);
  return (
    <p role="status" className="px-2 py-1 text-sm text-pretty text-muted">
      {words === ""
        ? `${place} has no open issues.`
        : parseIssueReference(words) !== null
          ? `${place} has no such issue.`
          : `No open issue of ${place} matches these words. To find a closed one, type its number.`}
    </p>
  );
}

const Where = ({ found }: { readonly found: Extract<IssuesView, { kind: "found" }> }) => (
  <>
    <p className="px-2 text-xs text-muted">
      {shownName(found.repository)} on {forgeNames[found.forge]}
      {found.hasMore && " · more issues match; add words to narrow them down"}
    </p>
    {found.noToken !== null && (
      <p className="px-2 text-xs text-pretty text-warning" role="note" data-selectable>
        Without a token Hox sees public issues only, can’t comment on one and opens no pull request.{" "}
        {found.noToken}
      </p>
    )}
  </>
);
