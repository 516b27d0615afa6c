/** Repositories that can be opened from the welcome page, a row each. */
import { ChevronRight, GitBranch, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import type { OpenRepositoryView, RecentRepository, UnfinishedRun } from "#shared/contract/views/app.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { cx } from "../../kit/class-names.ts";
import { focusWhenLost } from "../../kit/focus-soon.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { showRepository } from "../../state/repositories.ts";
import { groupRecent, removeRecent } from "../repositories/remove-recent.ts";
import { repositoryLine, unfinishedLine } from "../repositories/repository-lines.ts";
import { openFolder } from "./open-folder.tsx";

/** Those that are open in this host and not in this window. */
export function Open({ open }: { readonly open: readonly OpenRepositoryView[] }) {
  if (open.length === 0) return null;
  return (
    <RepositoryList id="open" title="Open">
      {open.map((view) => (
        <li key={view.path} className="border-b last:border-b-0 hover:bg-hover">
          <button
            type="button"
            onClick={() => void showRepository(view.path)}
            className="flex h-10 w-full items-center gap-2.5 px-3 text-left"
          >
            <RepositoryName name={view.name} />
            <Status isWaiting={view.waiting.length > 0}>{repositoryLine(view)}</Status>
            <RepositoryPath path={view.path} />
          </button>
        </li>
      ))}
    </RepositoryList>
  );
}

const maxShown = 8;

/** Copies that rehearsals were played in are collapsed below the repositories. */
export function Recent({ recent }: { readonly recent: readonly RecentRepository[] }) {
  const { repositories, rehearsals } = groupRecent(recent);
  return (
    <>
      {repositories.length > 0 && (
        <RepositoryList id="recent" title="Recent">
          <RecentRows rows={repositories.slice(0, maxShown)} />
        </RepositoryList>
      )}
      {rehearsals.length > 0 && (
        <details className="group/archive mt-6">
          <summary className="flex w-fit cursor-default items-center gap-1 rounded-sm text-sm font-medium text-muted hover:text-text">
            <ChevronRight size={14} className="group-open/archive:rotate-90" aria-hidden />
            Past rehearsals <span className="font-normal text-faint tabular-nums">{rehearsals.length}</span>
          </summary>
          <ul aria-label="Past rehearsals" className="mt-1 overflow-hidden rounded-lg border bg-surface">
            <RecentRows rows={rehearsals} />
          </ul>
        </details>
      )}
    </>
  );
}

const RecentRows = ({ rows }: { readonly rows: readonly RecentRepository[] }) =>
  rows.map((repository) => <RecentRow key={repository.path} repository={repository} />);

function RecentRow({ repository }: { readonly repository: RecentRepository }) {
  const row = useRef<HTMLLIElement>(null);
  const remove = async (): Promise<void> => {
    // The row goes with its button, so its neighbour takes the focus.
    const neighbour = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    const button = (): HTMLElement | null => neighbour?.querySelector("button[data-remove]") ?? null;
    if (!(await removeRecent(repository))) return;
    // A slow window still draws the row, with the focus in it.
    if (row.current?.contains(document.activeElement)) button()?.focus();
    else focusWhenLost(button);
  };
  return (
    <li
      ref={row}
      className="group flex items-center border-b last:border-b-0 focus-within:bg-hover hover:bg-hover"
      onKeyDown={(event) => takeKey(recentKeys, event, { remove: () => void remove() })}
    >
      <button
        type="button"
        disabled={!repository.exists}
        onClick={() => void openFolder(repository.path)}
        className="flex h-10 min-w-0 flex-1 items-center gap-2.5 px-3 text-left disabled:opacity-50"
      >
        <RepositoryName name={repository.name} />
        {repository.unfinished && <Unfinished run={repository.unfinished} />}
        <RepositoryPath path={repository.path} />
        <span className="shrink-0 text-sm text-faint">
          {repository.exists ? <RelativeTime at={repository.openedAt} /> : "not found"}
        </span>
      </button>
      <button
        type="button"
        data-remove
        aria-label={`Remove ${repository.name} from the list`}
        title="Remove from the list (Delete). The folder is kept."
        onClick={() => void remove()}
        className="mr-2 inline-flex h-6 shrink-0 items-center gap-1 rounded-sm px-1.5 text-sm text-faint hover:text-text"
      >
        <X size={13} aria-hidden />
        Remove
      </button>
    </li>
  );
}

export const recentKeys: KeyTable<{ readonly remove: () => void }> = {
  place: "At a recent repository",
  rows: [
    {
      keys: "Delete",
      also: ["Backspace"],
      what: "remove it from the list (the folder is kept)",
      run: ({ remove }) => remove(),
    },
  ],
};

/** A run that is not over resumes when its repository is opened, unless another Hox works on it. */
const Unfinished = ({ run }: { readonly run: UnfinishedRun }) => (
  <Status isWaiting={run.waiting > 0} title={shownLine(run.goal)}>
    {unfinishedLine(run)}: {shownLine(run.goal)}
  </Status>
);

interface StatusProps {
  /** Whether something of it waits for the user. */
  readonly isWaiting: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

const Status = ({ isWaiting, ...rest }: StatusProps) => (
  <span
    className={cx(
      "min-w-0 max-w-64 truncate rounded-sm px-1.5 text-xs leading-[18px]",
      isWaiting ? "bg-warning-soft text-warning" : "bg-info-soft text-info",
    )}
    {...rest}
  />
);

interface RepositoryListProps {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

const RepositoryList = ({ id, title, children }: RepositoryListProps) => (
  <section aria-labelledby={id} className="mt-8">
    <h2 id={id} className="text-sm font-medium text-muted">
      {title}
    </h2>
    <ul className="mt-1 overflow-hidden rounded-lg border bg-surface">{children}</ul>
  </section>
);

const RepositoryName = ({ name }: { readonly name: string }) => (
  <>
    <GitBranch size={14} className="shrink-0 text-faint" aria-hidden />
    <span className="shrink-0 font-medium">{name}</span>
  </>
);

/** The end of a path tells two apart. */
const RepositoryPath = ({ path }: { readonly path: string }) => (
  <span className="min-w-0 flex-1 truncate text-sm text-faint" dir="rtl">
    <bdi>{path}</bdi>
  </span>
);
