import { FileMinus, FilePen, FilePlus, PencilLine, TriangleAlert } from "lucide-react";
import type { ChangeDetails } from "#shared/contract/commands/graph.ts";
import { formatBytes } from "#shared/domain/text/bytes.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useRefs } from "../../state/graph-store.ts";
import { useWorkerOf } from "../../state/host-store.ts";
import { openIn } from "../../state/open-in.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { type Loaded, shownValue } from "../../state/use-loaded.ts";
import { showConflict } from "../conflict/conflict-store.ts";
import { DecisionCompliance, MergeCause, WorkerContradictions } from "./decision-section.tsx";
import { DescriptionEditor } from "./description-editor.tsx";
import { FoldSection } from "./fold-section.tsx";
import { LearnedSection } from "./learned-section.tsx";
import { MetadataEditor } from "./metadata-editor.tsx";
import { OrientationSection } from "./orientation-section.tsx";
import { WorkerRadar } from "./radar-section.tsx";
import { ValidationSection } from "./validation-section.tsx";

interface DetailsViewProps {
  readonly change: Change;
  readonly details: Loaded<ChangeDetails>;
}

export function DetailsView({ change, details }: DetailsViewProps) {
  const refs = useRefs();
  const worker = useWorkerOf(change.changeId);
  const bookmarks = Object.entries(refs.bookmarks).filter(([, commits]) => commits.includes(change.commitId));
  const workspaces = Object.entries(refs.workspaces).filter(([, commit]) => commit === change.commitId);
  const value = shownValue(details);
  return (
    <div className="flex flex-col gap-4 p-3">
      <DescriptionEditor change={change} />
      {value && value.problems.length > 0 && (
        <ul className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">
          {value.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <DecisionCompliance changeId={change.changeId} />
      {worker && <WorkerContradictions worker={worker.name} />}
      {worker && <MergeCause worker={worker} />}
      {worker && <WorkerRadar worker={worker.name} />}
      {worker && <OrientationSection worker={worker} />}
      {worker && <LearnedSection learned={worker.learned} />}
      {worker?.fold && <FoldSection fold={worker.fold} />}
      <ValidationSection change={change} />
      <MetadataEditor change={change} />
      <dl className="grid grid-cols-[92px_1fr] gap-y-1 text-sm">
        <dt className="text-faint">Change</dt>
        <dd className="truncate font-mono text-xs leading-[18px]" data-selectable title={change.changeId}>
          {change.changeId}
        </dd>
        <dt className="text-faint">Commit</dt>
        <dd className="truncate font-mono text-xs leading-[18px]" data-selectable title={change.commitId}>
          {change.commitId.slice(0, 16)}
        </dd>
        <dt className="text-faint">Author</dt>
        <dd className="truncate" data-selectable>
          {change.author.name || "unknown"} · <RelativeTime at={change.timestamp} className="text-muted" />
        </dd>
        {bookmarks.length > 0 && (
          <>
            <dt className="text-faint">Bookmarks</dt>
            <dd className="flex flex-wrap gap-1">
              {bookmarks.map(([name, commits]) => (
                <Badge
                  key={name}
                  mono
                  tone={commits.length > 1 ? "danger" : "accent"}
                  {...(commits.length > 1 ? { title: "This bookmark is in conflict" } : {})}
                >
                  {name}
                </Badge>
              ))}
            </dd>
          </>
        )}
        {workspaces.length > 0 && (
          <>
            <dt className="text-faint">Workspaces</dt>
            <dd className="flex flex-wrap items-center gap-1">
              {workspaces.map(([name]) => (
                <Badge key={name} mono tone="info">
                  {name}@
                </Badge>
              ))}
              {worker?.diskBytes != null && (
                <span className="text-xs text-faint tabular-nums" title={worker.workspace ?? undefined}>
                  {formatBytes(worker.diskBytes)}
                </span>
              )}
            </dd>
          </>
        )}
      </dl>
      {details.kind === "failed" && <LoadFailure failure={details.failure} again={details.again} />}
      {value && <Files details={value} />}
    </div>
  );
}

const fileIcons = { added: FilePlus, removed: FileMinus } as const;

function Files({ details }: { readonly details: ChangeDetails }) {
  const conflicted = new Map(details.conflicts.map((conflict) => [conflict.path, conflict.sides]));
  const others = details.conflicts.filter(
    (conflict) => !details.files.some((file) => file.path === conflict.path),
  );
  const files = [...details.files, ...others.map(({ path }) => ({ path, kind: "conflict" }))];
  return (
    <section aria-label="Files">
      <h3 className="mb-1 text-sm font-medium text-muted">
        {files.length === 0 ? "No files changed" : `${files.length} ${files.length === 1 ? "file" : "files"}`}
      </h3>
      <ul className="flex flex-col">
        {files.map((file) => {
          const sides = conflicted.get(file.path);
          const Icon = sides
            ? TriangleAlert
            : file.kind === "added" || file.kind === "removed"
              ? fileIcons[file.kind]
              : FilePen;
          return (
            <li key={file.path} className="group flex min-h-6 items-center gap-2 text-sm">
              <Icon
                size={13}
                className={
                  sides
                    ? "text-danger"
                    : file.kind === "added"
                      ? "text-success"
                      : file.kind === "removed"
                        ? "text-danger"
                        : "text-faint"
                }
                aria-label={sides ? "in conflict" : file.kind}
              />
              {sides ? (
                <button
                  type="button"
                  className="flex min-w-0 flex-1 items-center gap-2 rounded-sm text-left text-danger hover:underline"
                  title="Show the sides and resolve the conflict"
                  onClick={() => showConflict(details.change.changeId, file.path)}
                >
                  <FileName path={file.path} className="flex-1 font-mono text-xs" />
                  <span className="shrink-0 text-xs">{sides} sides</span>
                </button>
              ) : (
                <FileName path={file.path} className="flex-1 font-mono text-xs" />
              )}
              {file.kind !== "removed" && !isReplaying() && (
                <IconButton
                  label={`Open ${shownName(file.path)} in the editor`}
                  icon={<PencilLine size={13} />}
                  className="size-6 opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
                  onClick={() => openIn("editor", details.change.changeId, { path: file.path })}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
