import { FolderOpen, GitBranch, X } from "lucide-react";
import type { ReactNode } from "react";
import type { RecentRepository, UnfinishedRun } from "#shared/contract/views/app.ts";
import type { OpenRepositoryView } from "#shared/contract/views/open-repositories.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { showRepository } from "../../state/repositories.ts";
import { openDialog } from "../../state/selection-store.ts";
import { repositoryLine, unfinishedLine } from "../repositories/repository-lines.ts";
import { CanvasPreview } from "./canvas-preview.tsx";
import { openFolder } from "./open-folder.ts";
import { RehearsalChoices } from "./rehearsal-choices.tsx";
import { startRehearsal, usePreparing } from "./start-rehearsal.ts";
import { ToolProblems } from "./tool-problems.tsx";

/** What stands on screen while no repository is open. */
export function Welcome() {
  const app = useHost((state) => state.app);
  const opening = useHost((state) => state.opening);
  const open = useHost((state) => state.open);
  const preparing = usePreparing((state) => state.name);
  if (!app) return null;
  const { rehearsals } = app;
  const busy = preparing !== null || opening !== null;
  return (
    <main className="flex h-full flex-col overflow-y-auto bg-canvas">
      <div className="h-0.5 shrink-0">{busy && <IndeterminateLine label="Opening" />}</div>
      <div className="m-auto w-[860px] max-w-[calc(100vw-48px)] py-8">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Mark />
          <h1 className="text-xl font-semibold tracking-tight">Hox</h1>
          <p className="min-w-0 flex-1 basis-96 text-pretty text-muted">
            Let several coding agents work on one repository at once, and watch and steer them on its own
            change graph.
          </p>
        </div>
        <div className="mt-4">
          <CanvasPreview />
        </div>

        {rehearsals.length > 0 && (
          <section aria-labelledby="rehearsals" className="mt-5">
            <h2 id="rehearsals" className="font-medium">
              Watch a rehearsal
            </h2>
            <p className="mb-2 text-sm text-muted">
              A whole run on a small example, without a key and without cost: only the model’s words are
              scripted. You make the decisions.
            </p>
            <RehearsalChoices
              {...{ rehearsals, preparing }}
              disabled={busy}
              onWatch={(name) => void startRehearsal(name)}
            />
          </section>
        )}

        <section aria-label="Your own work" className="mt-5 flex flex-wrap items-center gap-2">
          <Button
            size="lg"
            {...(rehearsals.length > 0 ? {} : { "data-first-focus": true })}
            look="primary"
            disabled={busy}
            onClick={() => void openFolder()}
          >
            <FolderOpen size={15} aria-hidden />
            Open a folder…
          </Button>
          <span className="ml-1">
            <Keys keys="mod+o" />
          </span>
          <p className="min-w-0 flex-1 basis-60 truncate text-sm text-muted" role="status">
            {opening && preparing === null
              ? `${opening.step}: ${opening.path}`
              : "A Git or jj repository of yours; nothing is changed without asking."}
          </p>
        </section>
        <ToolProblems tools={app.tools} />
        <Open open={open} />
        <Recent recent={app.recent.filter(({ path }) => !open.some((view) => view.path === path))} />
        <KeyHint />
      </div>
    </main>
  );
}

function Mark() {
  return (
    <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.2">
        <path d="M16 25v-5M16 20c-7 0-7-3-7-5.5M16 20c7 0 7-3 7-5.5M9 13.5C9 10 16 11 16 7.5M23 13.5C23 10 16 11 16 7.5" />
      </g>
      <g fill="var(--on-accent)">
        <circle cx="16" cy="25" r="2.8" />
        <circle cx="9" cy="14" r="2.8" />
        <circle cx="23" cy="14" r="2.8" />
        <circle cx="16" cy="7" r="2.8" />
      </g>
    </svg>
  );
}

/** Those that are open in this host and not in this window. */
function Open({ open }: { readonly open: readonly OpenRepositoryView[] }) {
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
            <Standing isWaiting={view.waiting.length > 0}>{repositoryLine(view)}</Standing>
            <RepositoryPath path={view.path} />
          </button>
        </li>
      ))}
    </RepositoryList>
  );
}

function Recent({ recent }: { readonly recent: readonly RecentRepository[] }) {
  if (recent.length === 0) return null;
  return (
    <RepositoryList id="recent" title="Recent">
      {recent.slice(0, 8).map((repository) => (
        <li key={repository.path} className="group flex items-center border-b last:border-b-0 hover:bg-hover">
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
              {repository.exists ? <RelativeTime at={repository.openedAt} /> : "no longer there"}
            </span>
          </button>
          <button
            type="button"
            aria-label={`Forget ${repository.name}`}
            onClick={() =>
              void attempt("It was not forgotten", () =>
                client.repository.forgetRecent({ path: repository.path }),
              )
            }
            className="mr-2 inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint opacity-0 group-hover:opacity-100 hover:text-text focus-visible:opacity-100"
          >
            <X size={13} aria-hidden />
          </button>
        </li>
      ))}
    </RepositoryList>
  );
}

/** A run that is not over goes on where its repository is opened, unless another Hox works on it. */
const Unfinished = ({ run }: { readonly run: UnfinishedRun }) => (
  <Standing isWaiting={run.waiting > 0} title={shownLine(run.goal)}>
    {unfinishedLine(run)}: {shownLine(run.goal)}
  </Standing>
);

interface StandingProps {
  /** Whether something of it waits for the person. */
  readonly isWaiting: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

const Standing = ({ isWaiting, ...rest }: StandingProps) => (
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

/** Repositories in one list, a line each. */
const RepositoryList = ({ id, title, children }: RepositoryListProps) => (
  <section aria-labelledby={id} className="mt-8">
    <h2 id={id} className="text-sm font-medium text-muted">
      {title}
    </h2>
    <ul className="mt-1 overflow-hidden rounded-lg border bg-surface">{children}</ul>
  </section>
);

/** What every line begins with. */
const RepositoryName = ({ name }: { readonly name: string }) => (
  <>
    <GitBranch size={14} className="shrink-0 text-faint" aria-hidden />
    <span className="shrink-0 font-medium">{name}</span>
  </>
);

/** Its end is what tells two apart. */
const RepositoryPath = ({ path }: { readonly path: string }) => (
  <span className="min-w-0 flex-1 truncate text-sm text-faint" dir="rtl">
    <bdi>{path}</bdi>
  </span>
);

function KeyHint() {
  const key = useHost((state) => state.app?.key);
  if (key?.source !== "none") return null;
  return (
    <p className="mt-6 text-sm text-faint">
      Without an API key you can watch the rehearsals and look at any repository.{" "}
      <button
        type="button"
        className="text-accent-text underline-offset-2 hover:underline"
        onClick={() => openDialog("settings")}
      >
        Add a key
      </button>{" "}
      to let agents work on yours.
    </p>
  );
}
