import { FileMinus, FilePen, FilePlus, type LucideIcon, PencilLine, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { ChangeDetails } from "#shared/contract/commands/graph.ts";
import type { LearnedView, WorkerView } from "#shared/contract/views/run.ts";
import { bodyOf, withBody } from "#shared/domain/change-metadata/write-trailers.ts";
import {
  isGreen,
  type MergeRequest,
  type MergeRequestStage,
} from "#shared/domain/merge-request/merge-request.ts";
import { todoProgress } from "#shared/domain/orientation/todo-events.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { counted, formatBytes } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import type { Change } from "#shared/graph/change.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, IconButton, LinkButton } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { MergeRequestReviews } from "../../kit/merge-request-reviews.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Section, Terms } from "../../kit/section.tsx";
import { TodoList } from "../../kit/todo-list.tsx";
import { openValidation, useLastValidation } from "../../state/change-validation.ts";
import { describeChange } from "../../state/graph-edits.ts";
import { useRefs } from "../../state/graph-store.ts";
import { useHost, useWorkerOf } from "../../state/host-store.ts";
import { openIn } from "../../state/open-in.ts";
import { openPattern } from "../../state/pattern-library.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { type Loaded, shownValue, useAttempt } from "../../state/use-loaded.ts";
import { useMachineOf } from "../../state/workers.ts";
import { showConflict } from "../conflict/conflict-store.ts";
import { DecisionCompliance, MergeCause, WorkerContradictions, WorkerRadar } from "./decision-section.tsx";
import { MetadataEditor } from "./metadata-editor.tsx";
import { verdictTones } from "./votes-view.tsx";

interface DetailsViewProps {
  readonly change: Change;
  readonly details: Loaded<ChangeDetails>;
}

export function DetailsView({ change, details }: DetailsViewProps) {
  const refs = useRefs();
  const worker = useWorkerOf(change.changeId);
  const machine = useMachineOf(worker?.name ?? null);
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
      {worker?.mergeRequest && <FoldSection mergeRequest={worker.mergeRequest} />}
      <ValidationSection change={change} />
      <MetadataEditor change={change} />
      <Terms
        terms={[
          ["Change", <Id key="change" id={change.changeId} />],
          ["Commit", <Id key="commit" id={change.commitId} />],
          [
            "Author",
            <p key="author" className="truncate">
              {change.author.name || "unknown"} ·{" "}
              <RelativeTime at={change.timestamp} className="text-muted" />
            </p>,
          ],
          [
            "Bookmarks",
            bookmarks.length > 0 && (
              <p className="flex flex-wrap gap-1">
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
              </p>
            ),
          ],
          [
            "Workspaces",
            workspaces.length > 0 && (
              <p className="flex flex-wrap items-center gap-1">
                {workspaces.map(([name]) => (
                  <Badge key={name} mono tone="info">
                    {name}@
                  </Badge>
                ))}
                {machine !== null && (
                  <span className="text-xs" title="Its files and commands are there">
                    on worker {shownName(machine)}
                  </span>
                )}
                {worker?.diskBytes != null && (
                  <span className="text-xs text-faint tabular-nums" title={worker.workspace ?? undefined}>
                    {formatBytes(worker.diskBytes)}
                  </span>
                )}
              </p>
            ),
          ],
        ]}
      />
      {details.kind === "failed" && <LoadFailure failure={details.failure} again={details.again} />}
      {value && <Files details={value} />}
    </div>
  );
}

const Id = ({ id }: { readonly id: string }) => (
  <p className="truncate font-mono text-xs leading-[18px]" title={id}>
    {id}
  </p>
);

/** Why a worker works on its change: the goal, its step of the plan, what binds it, and the steps that it keeps. */
function OrientationSection({ worker }: { readonly worker: WorkerView }) {
  const decisions = useHost((state) => state.run?.decisions);
  const { place, todos } = worker;
  const limits = (["resume", "tools"] as const).flatMap((use) => whyNot(worker.agent, use) ?? []);
  const binding = (decisions ?? []).filter(({ changeId }) => place?.decisions.includes(changeId));
  const progress = todoProgress(todos);
  return (
    <section aria-label="Orientation" className="flex flex-col gap-2">
      <Terms
        terms={[
          [
            "Model",
            <div key="agent">
              <p className="truncate" title={worker.model}>
                {worker.agent === null
                  ? worker.model
                  : `${worker.agent.label} · ${worker.model.replace(/^[^/]*\//u, "")}`}
              </p>
              {limits.map((limit) => (
                <p key={limit} className="text-sm text-pretty text-muted">
                  {limit}
                </p>
              ))}
            </div>,
          ],
        ]}
      />
      {place && (
        <Terms
          terms={[
            [
              "Goal",
              <p key="goal" className="line-clamp-2" title={shownText(place.goal)}>
                {shownText(place.goal)}
              </p>,
            ],
            ["Plan", place.step !== null && `step ${place.step} of ${place.steps}`],
            [
              "Decisions",
              binding.length > 0 && (
                <ul>
                  {binding.map(({ changeId, title }) => (
                    <li key={changeId}>
                      <LinkButton className="max-w-full truncate" onClick={() => inspect(changeId)}>
                        {shownText(title)}
                      </LinkButton>
                    </li>
                  ))}
                </ul>
              ),
            ],
          ]}
        />
      )}
      {progress && (
        <Section
          title={worker.status === "done" ? "Steps (last state)" : "Steps"}
          aside={`${progress.completed} of ${progress.all}`}
        >
          <TodoList todos={todos} />
        </Section>
      )}
    </section>
  );
}

/** The words of a change without Hox's trailers, which have fields of their own below. */
function DescriptionEditor({ change }: { readonly change: Change }) {
  const [draft, setDraft] = useState<string | null>(null);
  const [isBusy, attempt] = useAttempt();
  const body = bodyOf(change.description);
  if (draft === null) {
    // The first line is the heading above.
    const rest = body.includes("\n") ? body.slice(body.indexOf("\n")).trim() : "";
    return (
      <div>
        {rest !== "" && (
          <p className="max-h-64 overflow-y-auto whitespace-pre-wrap" data-selectable>
            {rest}
          </p>
        )}
        {!change.immutable && (
          <Button look="ghost" size="sm" className="-ml-2" onClick={() => setDraft(body)}>
            Edit description
          </Button>
        )}
      </div>
    );
  }
  const save = (): Promise<boolean> =>
    attempt("The description was not saved", async () => {
      await describeChange(change, withBody(change.description, draft));
      setDraft(null);
    });
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        autoFocus
        rows={Math.min(16, Math.max(4, draft.split("\n").length + 1))}
        aria-label="Description"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onSend={save}
        onCancel={() => setDraft(null)}
      />
      <div className="flex gap-2">
        <Button look="primary" size="sm" disabled={isBusy} onClick={() => void save()}>
          Save
        </Button>
        <Button size="sm" onClick={() => setDraft(null)}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

const tones: Readonly<Record<MergeRequestStage, Tone>> = {
  open: "neutral",
  checking: "info",
  review: "info",
  "changes-requested": "warning",
  approved: "success",
  merged: "success",
  withdrawn: "neutral",
};

const reviewers = { first: "the first reviewer", parent: "its orchestrator", user: "you" } as const;

function mergeRequestStatus({ state }: MergeRequest): string {
  switch (state.stage) {
    case "open":
      return "reopened, the agent is working on it";
    case "checking":
      return "checks run in a fresh checkout";
    case "review":
      return `waiting for ${reviewers[state.by]}`;
    case "changes-requested":
      return "changes requested";
    case "approved":
      return "approved, about to be merged";
    case "merged":
      return state.place === "trunk"
        ? "merged into the trunk that other agents build on"
        : "merged separately: the integration combines it with the rest";
    case "withdrawn":
      return "abandoned with its task";
  }
}

/** The merge request of an agent's finished work. Nothing before the first one. */
function FoldSection({ mergeRequest }: { readonly mergeRequest: MergeRequest }) {
  if (mergeRequest.round === 0) return null;
  const failed = mergeRequest.checks.filter(isBlocking);
  return (
    <Section
      title="Merge request"
      aside={
        <span className="flex items-center gap-2 font-normal text-faint">
          round {mergeRequest.round}
          <Badge tone={tones[mergeRequest.state.stage]}>{mergeRequest.state.stage.replace("-", " ")}</Badge>
        </span>
      }
    >
      <div className="flex flex-col gap-2 border-l-2 pl-2.5">
        <p className="text-sm first-letter:uppercase">{mergeRequestStatus(mergeRequest)}</p>
        {mergeRequest.checks.length > 0 && (
          <p className={isGreen(mergeRequest.checks) ? "text-sm text-muted" : "text-sm text-danger"}>
            {isGreen(mergeRequest.checks)
              ? `${mergeRequest.checks.length === 1 ? "The check passes" : `All ${mergeRequest.checks.length} checks pass`} in a fresh checkout`
              : `In a fresh checkout: ${failed.map((check) => `${check.name} ${outcomeText[check.outcome]}`).join(", ")}`}
          </p>
        )}
        {mergeRequest.unreviewedLines !== undefined && (
          <p className="text-sm text-muted">Not reviewed on its own: validators judge it with the result</p>
        )}
        <MergeRequestReviews reviews={mergeRequest.reviews} />
      </div>
    </Section>
  );
}

/** Patterns of earlier runs in a worker's prompt; each links to the library. */
function LearnedSection({ learned = [] }: { readonly learned?: readonly LearnedView[] | undefined }) {
  if (learned.length === 0) return null;
  return (
    <Section aria-label="Learned" title={`Learned: ${learned.length}`}>
      <ul className="flex flex-col gap-0.5 text-sm">
        {learned.map(({ id, version, title }) => (
          <li key={id} className="flex items-baseline gap-2" title={`${id}, version ${version}`}>
            <LinkButton className="min-w-0 truncate" onClick={() => openPattern(id)}>
              {shownLine(title ?? id)}
            </LinkButton>
            <span className="shrink-0 text-xs text-faint">
              {id.slice(0, id.indexOf("/"))}, version {version}
              {title === null && ", now retired"}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The last verdict on a change that no run asked for. It says nothing of another commit than the one that was judged. */
function ValidationSection({ change }: { readonly change: Change }) {
  const last = useLastValidation(change.changeId);
  if (!last) return null;
  const verdict = last.validation && last.end?.kind === "done" ? verdictTones[last.validation.verdict] : null;
  const isVoid = last.commitId !== change.commitId;
  return (
    <section aria-label="Validation" className="flex items-center gap-2 text-sm">
      <span className="text-faint">Validated</span>
      <RelativeTime at={last.at} className="text-muted" />
      {last.end === null ? (
        <Badge tone="neutral">voting</Badge>
      ) : isVoid ? (
        <Badge tone="warning">void: the change has a new commit</Badge>
      ) : (
        <Badge tone={verdict?.tone ?? "neutral"}>{verdict?.words ?? "no verdict"}</Badge>
      )}
      <span className="flex-1" />
      <Button onClick={() => openValidation(change.changeId)}>Show</Button>
    </section>
  );
}

interface FileSign {
  readonly Icon: LucideIcon;
  readonly className: string;
}

const fileSigns: Readonly<Record<string, FileSign>> = {
  conflict: { Icon: TriangleAlert, className: "text-danger" },
  added: { Icon: FilePlus, className: "text-success" },
  removed: { Icon: FileMinus, className: "text-danger" },
};
const otherFile: FileSign = { Icon: FilePen, className: "text-faint" };

function Files({ details }: { readonly details: ChangeDetails }) {
  const conflicted = new Map(details.conflicts.map((conflict) => [conflict.path, conflict.sides]));
  const others = details.conflicts.filter(
    (conflict) => !details.files.some((file) => file.path === conflict.path),
  );
  const files = [...details.files, ...others.map(({ path }) => ({ path, kind: "conflict" }))];
  return (
    <Section
      aria-label="Files"
      title={files.length === 0 ? "No files changed" : counted(files.length, "file")}
    >
      <ul className="flex flex-col">
        {files.map((file) => {
          const sides = conflicted.get(file.path);
          const { Icon, className } = fileSigns[sides ? "conflict" : file.kind] ?? otherFile;
          return (
            <li key={file.path} className="group flex min-h-6 items-center gap-2 text-sm">
              <Icon size={13} className={className} aria-label={sides ? "in conflict" : file.kind} />
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
    </Section>
  );
}
