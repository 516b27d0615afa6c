/** The pull requests that would be opened, exactly as they would appear. */
import { ChevronRight, GitPullRequestDraft, MessageSquare } from "lucide-react";
import { useId, useState } from "react";
import { baseOfDraft, issueCommentNote, type LandDraft } from "#shared/contract/cards/land.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { withoutMarks } from "#shared/domain/forge/pull-request-text.ts";
import type { PublishedForm } from "#shared/domain/landing/publication.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { cx } from "../../kit/class-names.ts";
import { Field, TextInput } from "../../kit/field.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { UntrustedMarkdown } from "../../kit/untrusted-markdown.tsx";

/** By branch. */
export type Titles = Readonly<Record<string, string>>;

/** Those that differ from what the card says; an empty one stays as it is. */
export const changedTitles = (drafts: readonly LandDraft[], titles: Titles): Titles =>
  Object.fromEntries(
    drafts.flatMap(({ branch, title }) => {
      const own = titles[branch]?.trim() ?? "";
      return own === "" || own === title ? [] : [[branch, own]];
    }),
  );

interface LandDraftsProps {
  readonly forge: NonNullable<ItemOf<"land">["forge"]>;
  readonly form: PublishedForm;
  /** Who wrote each of them; null: several did. */
  readonly workers: readonly (string | null)[];
  /** The branch that the lowest one goes to. */
  readonly base: string;
  readonly titles: Titles;
  readonly onTitles: (titles: Titles) => void;
}

/** Opens one to read its text and to edit its title; a single one is open. */
export function LandDrafts({ forge, form, workers, base, titles, onTitles }: LandDraftsProps) {
  const drafts = forge.drafts[form];
  return (
    <section aria-label="Drafts that open" className="flex flex-col gap-1 text-sm">
      <ol className="rounded-md border">
        {drafts
          .map((draft, at) => (
            <Draft
              key={`${form} ${draft.branch}`}
              draft={draft}
              worker={workers[at] ?? null}
              base={baseOfDraft(drafts, at, base)}
              isOpenFirst={drafts.length === 1}
              title={titles[draft.branch] ?? draft.title}
              onTitle={(title) => onTitles({ ...titles, [draft.branch]: title })}
            />
          ))
          // The top first, as commits are listed.
          .toReversed()}
      </ol>
      {forge.linksIssue !== undefined && (
        <p className="flex items-start gap-1.5 text-xs text-pretty text-muted">
          <MessageSquare size={13} className="mt-0.5 shrink-0" aria-hidden />
          {issueCommentNote(forge.linksIssue)}
        </p>
      )}
    </section>
  );
}

interface DraftProps {
  readonly draft: LandDraft;
  readonly worker: string | null;
  readonly base: string;
  readonly isOpenFirst: boolean;
  readonly title: string;
  readonly onTitle: (title: string) => void;
}

const maxTitle = 200;

function Draft({ draft, worker, base, isOpenFirst, title, onTitle }: DraftProps) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const id = useId();
  return (
    <li className="border-b last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2 px-2.5 py-1.5 text-left outline-offset-[-2px] hover:bg-hover"
      >
        <ChevronRight size={13} className={cx("shrink-0 text-faint", isOpen && "rotate-90")} aria-hidden />
        <GitPullRequestDraft size={13} className="shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="block truncate" dir="auto" title={shownLine(title)}>
            {shownLine(title)}
          </span>
          <span className="block truncate font-mono text-xs text-muted">
            {shownName(draft.branch)} → {shownName(base)}
          </span>
        </span>
        <span className="shrink-0 text-xs text-muted">
          {worker === null ? "draft" : `draft · ${shownName(worker)}`}
        </span>
      </button>
      {isOpen && (
        <div id={id} className="flex flex-col gap-2 border-t px-2.5 pt-2 pb-2.5">
          <Field label="Title" hint={title.trim() === "" ? `Empty: ${shownLine(draft.title)}` : undefined}>
            <TextInput maxLength={maxTitle} value={title} onChange={(event) => onTitle(event.target.value)} />
          </Field>
          <ScrollBox label="Text" className="max-h-64 rounded-md border bg-sunken px-3 py-2">
            <UntrustedMarkdown text={withoutMarks(draft.text)} />
          </ScrollBox>
        </div>
      )}
    </li>
  );
}
