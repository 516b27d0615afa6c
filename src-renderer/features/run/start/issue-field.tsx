import { CircleDot, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Button, IconButton } from "../../../kit/button.tsx";
import { IssueRow } from "./issue-row.tsx";
import { type FoundIssue, IssueSearch } from "./issue-search.tsx";

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
