/** What a result is judged by before it lands: work that is missing from it, votes, checks, and what is unusual about it. */
import { FileX, ShieldAlert, UserCheck } from "lucide-react";
import { leftText, unprovenChecks } from "#shared/contract/cards/land.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { droppedBy, type MissingWork, missingAmount } from "#shared/domain/missing-work/missing-work.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import type { SeatView } from "#shared/domain/validation/panel.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { FileName } from "../../kit/file-name.tsx";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { TrackRecord, voteSigns } from "../inspector/votes-view.tsx";

interface MissingProps {
  readonly works: readonly MissingWork[];
  readonly title?: string;
}

/** What the tasks added and the result does not hold, and what they deleted and it holds again, task by task. */
export const Missing = ({ works, title = "Missing from the result" }: MissingProps) =>
  works.length === 0 ? null : (
    <section
      aria-label="Missing work"
      className="flex flex-col gap-2 rounded-md border border-danger px-2.5 py-2 text-sm"
    >
      <p className="flex items-start gap-1.5 font-medium text-danger">
        <FileX size={14} className="mt-0.5 shrink-0" aria-hidden />
        {title}
      </p>
      <ul className="flex flex-col gap-2">
        {works.map((work) => (
          <MissingOfTask key={work.worker} work={work} />
        ))}
      </ul>
    </section>
  );

function MissingOfTask({ work }: { readonly work: MissingWork }) {
  const by = droppedBy(work);
  return (
    <li>
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium" dir="auto">
          {shownLine(work.title)}
        </span>
        <span className="text-muted">{work.worker}</span>
        <Button look="ghost" size="sm" className="-my-1 -mr-2 ml-auto" onClick={() => inspect(work.changeId)}>
          Show what it wrote
        </Button>
      </p>
      <p>
        {missingAmount(work)}
        {by !== null && <span className="text-muted">; {by}</span>}
      </p>
      <ul className="mt-1 max-h-40 overflow-auto text-muted" data-selectable>
        {work.tests.map(({ path, name }) => (
          <li key={`${path} ${name}`} className="flex gap-1.5">
            <span className="shrink-0">test</span>
            <span className="min-w-0 break-words text-text">{shownLine(name)}</span>
          </li>
        ))}
        {work.files.map(({ path, missing, added, restored, deleted }) => (
          <li key={path} className="flex items-center gap-3">
            <FileName path={path} className="flex-1 font-mono text-xs" />
            <span className="text-xs whitespace-nowrap tabular-nums">
              {[
                ...(missing === 0 ? [] : [`${missing} of ${counted(added, "line")}`]),
                ...(restored === 0 ? [] : [`${restored} of ${counted(deleted, "deleted line")}`]),
              ].join(", ")}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Who approves, who does not, and why: rejections first. */
export function Votes({ item: { run, validation } }: { readonly item: ItemOf<"land"> }) {
  const trust = useHost((host) => (host.run?.id === run ? host.run.trust : null));
  const seats = validation?.seats ?? [];
  if (!validation || seats.length === 0) return null;
  const approvals = seats.filter(({ vote, counted: counts }) => vote === "approve" && counts).length;
  return (
    <section aria-label="Votes" className="text-sm">
      <p>
        <span className={cx("font-medium", approvals < seats.length && "text-warning")}>
          {approvals} of {seats.length} approve
        </span>
        <span className="text-muted">
          {" "}
          · {validation.quorum} needed
          {validation.attempt > 1 && ` · round ${validation.attempt}`}
        </span>
      </p>
      <ul className="mt-1 flex flex-col gap-1">
        {seats
          .toSorted((one, other) => weightOf(one) - weightOf(other))
          .map((seat) => (
            <Vote key={seat.seat} seat={seat} />
          ))}
      </ul>
      <div className="mt-1">
        <TrackRecord trust={trust} />
      </div>
    </section>
  );
}

const weightOf = ({ vote }: SeatView): number => (vote === "reject" ? 0 : vote === "approve" ? 2 : 1);

function Vote({ seat: { seat, vote, reason } }: { readonly seat: SeatView }) {
  const { Icon, className, words } = voteSigns[vote];
  const isShort = vote === "approve";
  return (
    <li className="flex items-start gap-1.5" data-seat={seat} data-vote={vote}>
      <Icon size={14} className={cx("mt-0.5 shrink-0", className)} aria-hidden />
      <p
        className={cx("min-w-0 flex-1 break-words text-muted", isShort && "truncate")}
        title={isShort ? shownText(reason) : undefined}
        data-selectable
      >
        <span className="text-text">{seat}</span> <span className={className}>{words}</span>
        {reason !== "" && `: ${isShort ? shownLine(reason) : shownText(reason)}`}
      </p>
    </li>
  );
}

/** What the checks say of exactly this commit. */
export function Checks({ item }: { readonly item: ItemOf<"land"> }) {
  const passed = item.checks.filter(({ outcome }) => outcome === "passed").map(({ name }) => name);
  const failed = item.failedChecks;
  const known = item.baselineFailures;
  return (
    <>
      {failed.length > 0 && (
        <Warning className="text-danger">
          {failed.length === 1 ? "A check fails" : `${failed.length} checks fail`} on it:{" "}
          {failed.map(shownName).join(", ")}
        </Warning>
      )}
      {item.isUnchecked && <Warning>No check ran on this: it lands unchecked.</Warning>}
      {unprovenChecks(item).map(({ name, why = "" }) => (
        <Warning key={name}>
          {shownName(name)} proves nothing about this result. {shownText(why)}
        </Warning>
      ))}
      {known.length > 0 && (
        <Warning>Already failing before this run: {known.map(shownName).join(", ")}</Warning>
      )}
      {passed.length > 0 && !item.brought && (
        <p className="text-sm text-muted">
          <span className="text-success">
            {passed.length === 1 ? "1 check passed" : `${passed.length} checks passed`}
          </span>
          : {passed.map(shownName).join(", ")}
        </p>
      )}
    </>
  );
}

/** What came to the branch while the run was going, and what the checks say to both together. */
export function Brought({ item: { brought } }: { readonly item: ItemOf<"land"> }) {
  if (!brought) return null;
  const { branch, commits, commitCount, checks, left = [] } = brought;
  const more = commitCount - commits.length;
  return (
    <section aria-label="New commits on the branch" className="rounded-md border px-2.5 py-1.5 text-sm">
      {commitCount > 0 && (
        <p className="text-muted">
          {branch} received {commitCount} {commitCount === 1 ? "commit" : "commits"} during the run. The
          result was moved onto {commitCount === 1 ? "it" : "them"} and checked again.
        </p>
      )}
      <ul className="mt-1 max-h-32 overflow-auto">
        {commits.map((title, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two commits may have one title, and the list never changes
          <li key={`${place} ${title}`} dir="auto" title={title} className="truncate">
            {shownText(title)}
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      {left.length > 0 && <p className="text-warning">{leftText(branch, left.length)}</p>}
      {left.map(({ commitId, title }) => (
        <p key={commitId} dir="auto" className="truncate" title={title} data-selectable>
          <code className="font-mono text-xs">git cherry-pick {commitId.slice(0, 12)}</code>{" "}
          {shownText(title)}
        </p>
      ))}
      {checks.map(({ name, outcome }) => (
        <p
          key={name}
          className={
            outcome === "passed" ? "text-success" : isBlocking({ outcome }) ? "text-danger" : "text-warning"
          }
        >
          {name}: {outcomeText[outcome]}
        </p>
      ))}
    </section>
  );
}

/** What steers the next agent, shell or build is named before it lands. */
export const ProtectedPaths = ({ paths }: { readonly paths: readonly string[] }) =>
  paths.length === 0 ? null : (
    <Warning>
      Includes {paths.length === 1 ? "a protected file" : `${paths.length} protected files`}:{" "}
      <span className="font-mono text-xs break-all">{paths.map(shownName).join(", ")}</span>
    </Warning>
  );

/** That its seats did not approve it is said once more before it lands. */
export const Overruled = ({ overruled }: { readonly overruled: string | undefined }) =>
  overruled === undefined ? null : (
    <p className="flex items-start gap-1.5 text-sm text-pretty text-warning" data-selectable>
      <UserCheck size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0">Overriding the reviewers. Reason: {shownText(overruled)}</span>
    </p>
  );

interface WarningProps {
  readonly className?: string;
  readonly children: React.ReactNode;
}

const Warning = ({ className = "text-warning", children }: WarningProps) => (
  <p className={cx("flex items-start gap-1.5 text-sm", className)}>
    <ShieldAlert size={14} className="mt-0.5 shrink-0" aria-hidden />
    <span>{children}</span>
  </p>
);
