import { ShieldAlert, UserCheck } from "lucide-react";
import type { ItemOf } from "#shared/contract/cards.ts";
import { bookmarkNameProblem } from "#shared/domain/graph-words/bookmark-name.ts";
import type { LandingHistory } from "#shared/domain/graph-words/landing-text.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { Button } from "../../kit/button.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { LineCounts } from "../../kit/line-counts.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { inspect } from "../../state/selection-store.ts";
import { CardFrame } from "./card-frame.tsx";
import { useCardDraft } from "./drafts.ts";

/** Exactly what will move, before it moves. */
export function LandCard({ item }: { readonly item: ItemOf<"land"> }) {
  const [bookmark, setBookmark] = useCardDraft(item, "bookmark", item.suggested ?? item.bookmarks[0] ?? "");
  const [history, setHistory] = useCardDraft<LandingHistory>(item, "history", item.history ?? "changes");
  const name = bookmark.trim();
  const known = item.bookmarks.includes(name);
  // A bookmark that is there already has a name that it can have.
  const problem = known || name === "" ? null : bookmarkNameProblem(name);
  const added = item.diffStat.reduce((sum, file) => sum + file.added, 0);
  const removed = item.diffStat.reduce((sum, file) => sum + file.removed, 0);
  return (
    <CardFrame
      item={item}
      approve={{
        label: name === "" ? "Land" : `Land on ${name}`,
        disabled: name === "" || problem !== null,
        decision: () => ({ kind: "approve", bookmark: name, history }),
      }}
      reject={{ label: "Do not land", reason: null }}
    >
      <BookmarkField item={item} bookmark={bookmark} problem={problem} onBookmark={setBookmark} />
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="text-muted">Lands as</span>
        <Segmented
          label="What lands"
          value={history}
          onChange={setHistory}
          options={[
            { value: "changes", label: "Changes as they are" },
            { value: "tasks", label: "One per task" },
            { value: "one", label: "One" },
          ]}
        />
      </div>
      <Brought item={item} />
      {item.inTheWay && name === item.suggested && (
        <p className="text-sm text-pretty text-warning" role="status" data-selectable>
          {item.inTheWay}
        </p>
      )}
      <div className="flex items-center gap-2 text-sm">
        <span className="text-muted">
          {item.diffStat.length} {item.diffStat.length === 1 ? "file" : "files"}
        </span>
        <LineCounts added={added} removed={removed} />
        <Button look="ghost" size="sm" onClick={() => inspect(item.changeId)}>
          Show the change
        </Button>
      </div>
      <ProtectedPaths paths={item.protectedPaths ?? []} />
      <Overruled overruled={item.overruled} />
      <FailedChecks names={item.failedChecks ?? []} />
      <CheckWarning isUnchecked={item.isUnchecked === true} knownFailures={item.knownFailures ?? []} />
      <ScrollBox label="Files that land" className="max-h-56 rounded-md border text-sm">
        <ul>
          {item.diffStat.map((file) => (
            <li key={file.path} className="flex items-center gap-3 border-b px-2.5 py-1 last:border-b-0">
              <FileName path={file.path} className="flex-1 font-mono text-xs" />
              <LineCounts added={file.added} removed={file.removed} />
            </li>
          ))}
        </ul>
      </ScrollBox>
    </CardFrame>
  );
}

interface BookmarkFieldProps {
  readonly item: ItemOf<"land">;
  readonly bookmark: string;
  readonly problem: string | null;
  readonly onBookmark: (bookmark: string) => void;
}

function BookmarkField({ item, bookmark, problem, onBookmark }: BookmarkFieldProps) {
  return (
    <Field label="Bookmark" error={problem} hint={whereTo(item, bookmark.trim())}>
      {(ids) => (
        <>
          <TextInput
            {...ids}
            aria-invalid={problem !== null}
            list={`${ids.id}-known`}
            value={bookmark}
            onChange={(event) => onBookmark(event.target.value)}
          />
          <datalist id={`${ids.id}-known`}>
            {item.bookmarks.map((other) => (
              <option key={other} value={other} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

/** What landing on a bookmark of that name does. */
function whereTo({ bookmarks, standsOn }: ItemOf<"land">, name: string): string {
  if (name === "") return "Choose where the result goes";
  if (!bookmarks.includes(name)) return `${name} is made new`;
  return name === standsOn
    ? `You are on ${name}: your folder comes along, and edits of your own stay as they are`
    : `${name} moves to this change`;
}

/** What came to the branch while the run was going, and what the checks say to both together. */
function Brought({ item: { brought } }: { readonly item: ItemOf<"land"> }) {
  if (!brought) return null;
  const { branch, commits, commitCount, checks } = brought;
  const more = commitCount - commits.length;
  return (
    <section aria-label="What came meanwhile" className="rounded-md border px-2.5 py-1.5 text-sm">
      <p className="text-muted">
        {branch} got {commitCount} {commitCount === 1 ? "commit" : "commits"} meanwhile. The result was
        brought onto {commitCount === 1 ? "it" : "them"} and checked again.
      </p>
      <ul className="mt-1 max-h-32 overflow-auto">
        {commits.map((title, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two commits may have one title, and the list never changes
          <li key={`${place} ${title}`} dir="auto" title={title} className="truncate">
            {shownText(title)}
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      {checks.map(({ name, outcome }) => (
        <p
          key={name}
          className={
            outcome === "passed" ? "text-success" : isBlocking({ outcome }) ? "text-danger" : "text-warning"
          }
        >
          {name}: {outcome === "known-failure" ? "failed before as well" : outcome}
        </p>
      ))}
    </section>
  );
}

/** What steers the next agent, shell or build is named before it lands. */
const ProtectedPaths = ({ paths }: { readonly paths: readonly string[] }) =>
  paths.length === 0 ? null : (
    <p className="flex items-start gap-1.5 text-sm text-warning">
      <ShieldAlert size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span>
        {paths.length === 1 ? "A protected file is" : `${paths.length} protected files are`} among them:{" "}
        <span className="font-mono text-xs break-all">{paths.map(shownName).join(", ")}</span>
      </span>
    </p>
  );

/** That its seats did not approve it is said once more before it lands. */
const Overruled = ({ overruled }: { readonly overruled: string | undefined }) =>
  overruled === undefined ? null : (
    <p className="flex items-start gap-1.5 text-sm text-pretty text-warning" data-selectable>
      <UserCheck size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0">
        Against the verdict of its seats, because you said: {shownText(overruled)}
      </span>
    </p>
  );

/** What nobody repaired is said before it lands. */
const FailedChecks = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? null : (
    <p className="flex items-start gap-1.5 text-sm text-danger">
      <ShieldAlert size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span>
        {names.length === 1 ? "A check fails" : `${names.length} checks fail`} on it:{" "}
        {names.map(shownName).join(", ")}
      </span>
    </p>
  );

/** What nobody checked, or what is as red as it was, is said before it lands. */
const CheckWarning = ({
  isUnchecked,
  knownFailures,
}: {
  readonly isUnchecked: boolean;
  readonly knownFailures: readonly string[];
}) =>
  !isUnchecked && knownFailures.length === 0 ? null : (
    <p className="flex items-start gap-1.5 text-sm text-warning">
      <ShieldAlert size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span>
        {isUnchecked
          ? "No check ran on this: it lands unchecked."
          : `Red as before the run, and no worse: ${knownFailures.map(shownName).join(", ")}`}
      </span>
    </p>
  );
