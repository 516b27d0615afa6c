import { PencilLine } from "lucide-react";
import type { ChangeDetails } from "#shared/contract/commands/graph.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { subjectOf, useChange } from "../../state/graph-store.ts";
import { openIn } from "../../state/open-in.ts";
import { inspect } from "../../state/selection-store.ts";
import { shownValue, useChangeDetails, useLoaded } from "../../state/use-loaded.ts";
import { showConflict, useShownConflict } from "./conflict-store.ts";
import { FileConflict } from "./file-conflict.tsx";

/** The files in conflict of one change: who brought each side, and a result that a person writes. */
export function ConflictPage() {
  const shown = useShownConflict((state) => state.shown);
  const change = useChange(shown?.changeId ?? null);
  if (!shown || !change)
    return (
      <EmptyState title="This change no longer exists">
        It was abandoned, or a different repository is open.
      </EmptyState>
    );
  return <ConflictsOf change={change} path={shown.path} />;
}

function ConflictsOf({ change, path }: { readonly change: Change; readonly path: string | null }) {
  const loaded = useChangeDetails(change.commitId);
  const details = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!details) return <IndeterminateLine label="Loading the conflict" />;
  const paths = details.conflicts.map((file) => file.path);
  const shown = path !== null && paths.includes(path) ? path : (paths[0] ?? null);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b px-4 py-2 text-sm">
        <button
          type="button"
          dir="auto"
          className="min-w-0 truncate rounded-sm font-medium text-accent-text hover:underline"
          onClick={() => inspect(change.changeId)}
        >
          {subjectOf(change) || change.changeId.slice(0, 8)}
        </button>
        <span className="shrink-0 text-muted">
          {paths.length === 0
            ? "has no conflict"
            : `${paths.length} ${paths.length === 1 ? "file" : "files"} in conflict`}
        </span>
      </div>
      {shown === null ? (
        <Settled change={change} />
      ) : (
        <div className="flex min-h-0 flex-1">
          {paths.length > 1 && <Files change={change} details={details} shown={shown} />}
          <OneFile
            key={`${change.changeId} ${shown}`}
            change={change}
            // The commit whose files these are: another one may be there already, in which this one is settled.
            commitId={details.change.commitId}
            path={shown}
          />
        </div>
      )}
    </div>
  );
}

function Settled({ change }: { readonly change: Change }) {
  return (
    <EmptyState title="All conflicts of this change are resolved">
      <Button className="mt-2" onClick={() => inspect(change.changeId)}>
        Back to the change
      </Button>
    </EmptyState>
  );
}

interface FilesProps {
  readonly change: Change;
  readonly details: ChangeDetails;
  readonly shown: string;
}

function Files({ change, details, shown }: FilesProps) {
  return (
    <nav
      aria-label="Files in conflict"
      className="w-56 shrink-0 overflow-y-auto border-r p-1.5 max-[900px]:w-40"
    >
      <ul>
        {details.conflicts.map(({ path, sides }) => (
          <li key={path} className="flex items-center">
            <button
              type="button"
              aria-current={path === shown}
              onClick={(event) => {
                if (path !== shown) showConflict(change.changeId, path);
                else focusResult(event.currentTarget);
              }}
              className={cx(
                "flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1 text-left text-sm",
                path === shown ? "bg-selected" : "hover:bg-hover",
              )}
            >
              <FileName path={path} className="min-w-0 flex-1 font-mono text-xs" />
              <span className="shrink-0 text-xs text-muted">{sides} sides</span>
            </button>
            <IconButton
              label={`Open ${shownName(path)} in the editor`}
              icon={<PencilLine size={13} />}
              className="size-6"
              onClick={() => openIn("editor", change.changeId, { path })}
            />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Who chooses the file that stands there already wants to write in it, too. */
const focusResult = (within: Element): void =>
  within
    .closest('[aria-label="Conflict"]')
    ?.querySelector<HTMLElement>('[role="textbox"][aria-label="Result"]')
    ?.focus();

interface OneFileProps {
  readonly change: Change;
  readonly commitId: string;
  readonly path: string;
}

function OneFile({ change, commitId, path }: OneFileProps) {
  const loaded = useLoaded(`${commitId} ${path}`, () => client.change.conflict({ commitId, path }));
  const view = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!view) return <IndeterminateLine label="Loading the sides" />;
  // Work on other files makes new commits all the time; what is written here belongs to the state of this one.
  return <FileConflict key={view.seen} change={change} view={view} />;
}
