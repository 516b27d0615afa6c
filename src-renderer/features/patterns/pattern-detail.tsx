import { ArchiveX, History, Pencil } from "lucide-react";
import { type Ref, useState } from "react";
import type { PatternView } from "#shared/contract/views/pattern.ts";
import { formatUses } from "#shared/domain/patterns/pattern-use.ts";
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { focusWhenLost } from "../../kit/focus-soon.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { UntrustedMarkdown } from "../../kit/untrusted-markdown.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { patternsChanged, stateLabels } from "../../state/pattern-library.ts";
import { inspectRun } from "../../state/selection-store.ts";
import { PatternEditor } from "./pattern-editor.tsx";
import { PatternEvidenceSection } from "./pattern-evidence.tsx";
import { formatConfidence } from "./pattern-list.tsx";
import { PatternVersions } from "./pattern-versions.tsx";
import { RetireDialog } from "./retire-dialog.tsx";

interface PatternDetailProps {
  readonly ref: Ref<HTMLElement>;
  readonly pattern: PatternView;
  /** Back to the list. */
  readonly onLeave: () => void;
}

/** One pattern from all sides. Its text is of others: shown, never obeyed. */
export function PatternDetail({ ref, pattern, onLeave }: PatternDetailProps) {
  const [isEditing, setEditing] = useState(false);
  const [isRetiring, setRetiring] = useState(false);
  const { title, whyNotTrusted } = pattern;
  const closeEditor = (): void => {
    setEditing(false);
    focusWhenLost(() => document.querySelector<HTMLElement>("[data-pattern-detail]"));
  };
  return (
    <article
      ref={ref}
      aria-label={shownLine(title)}
      tabIndex={-1}
      data-pattern-detail={pattern.id}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || event.target !== event.currentTarget) return;
        event.preventDefault();
        onLeave();
      }}
      className="relative min-h-0 overflow-y-auto outline-none focus-visible:outline-2 focus-visible:outline-offset-[-2px]"
    >
      <div className="flex max-w-[880px] flex-col gap-5 px-6 py-4">
        <header className="flex flex-col gap-1.5">
          <div className="flex items-start gap-3">
            <h2 className="min-w-0 flex-1 text-lg font-semibold text-pretty break-words" data-selectable>
              {shownText(title)}
            </h2>
            {!isEditing && (
              <Actions pattern={pattern} onEdit={() => setEditing(true)} onRetire={() => setRetiring(true)} />
            )}
          </div>
          <Labels pattern={pattern} />
        </header>
        {whyNotTrusted !== null && (
          <p
            className="rounded-md bg-warning-soft px-3 py-2 text-sm text-pretty text-warning"
            data-selectable
          >
            {shownText(whyNotTrusted)} It is not used in runs.
          </p>
        )}
        {isEditing ? (
          <PatternEditor pattern={pattern} onClose={closeEditor} />
        ) : (
          <>
            <UntrustedMarkdown text={belowTitle(pattern)} className="rounded-md border bg-sunken px-4 py-3" />
            <Facts pattern={pattern} />
            <PatternEvidenceSection pattern={pattern} />
            <PatternVersions pattern={pattern} />
          </>
        )}
      </div>
      {isRetiring && <RetireDialog pattern={pattern} onClose={() => setRetiring(false)} />}
    </article>
  );
}

/** Its title stands above it already. */
const belowTitle = ({ title, body }: PatternView): string =>
  body.startsWith(`# ${title}\n`) ? body.slice(title.length + 2).trim() : body;

const stateTones: Readonly<Record<PatternView["state"], Tone>> = {
  approved: "success",
  "not-approved": "warning",
  retired: "neutral",
};

const Labels = ({ pattern: { id, state, version, category, confidence, kind } }: PatternProps) => (
  <div className="flex flex-wrap items-center gap-1.5">
    <Badge tone={stateTones[state]}>
      {version === null ? stateLabels[state] : `${stateLabels[state]}, version ${version}`}
    </Badge>
    <Badge>{category}</Badge>
    <Badge title={formatConfidence(confidence)}>{`confidence ${confidence.toFixed(2)}`}</Badge>
    <Badge>{kind === "proposed" ? "proposed" : "based on metrics"}</Badge>
    <code className="font-mono text-xs text-faint" data-selectable>
      {id}
    </code>
  </div>
);

interface PatternProps {
  readonly pattern: PatternView;
}

interface ActionsProps extends PatternProps {
  readonly onEdit: () => void;
  readonly onRetire: () => void;
}

function Actions({ pattern: { id, state, versions }, onEdit, onRetire }: ActionsProps) {
  const [busy, setBusy] = useState(false);
  const restore = async (): Promise<void> => {
    setBusy(true);
    await attempt("The pattern was not restored", () => client.pattern.restore({ id }));
    patternsChanged();
    setBusy(false);
  };
  if (state === "retired")
    return (
      <Button look="primary" disabled={busy || versions.length === 0} onClick={() => void restore()}>
        <History size={13} aria-hidden />
        Restore
      </Button>
    );
  return (
    <div className="flex shrink-0 gap-2">
      <Button look={state === "not-approved" ? "primary" : "secondary"} onClick={onEdit}>
        <Pencil size={13} aria-hidden />
        {state === "not-approved" ? "Review and approve…" : "Edit…"}
      </Button>
      <Button look="danger" onClick={onRetire}>
        <ArchiveX size={13} aria-hidden />
        Retire…
      </Button>
    </div>
  );
}

/** Where it comes from, what it is for, and how the runs ended that used it. */
function Facts({ pattern }: PatternProps) {
  const { taskTypes, contexts, sourceRun, approvedAt, uses } = pattern;
  const isFor = [
    ["Kind of work", taskTypes],
    ["Languages", contexts.languages],
    ["Folders", contexts.folders],
    ["Keywords", contexts.words],
  ] as const;
  const named = isFor.filter(([, words]) => words.length > 0);
  return (
    <section aria-label="About this pattern">
      <dl className="grid grid-cols-[112px_1fr] gap-y-1 text-sm" data-selectable>
        <dt className="text-faint">Learned from</dt>
        <dd>{sourceRun === null ? "no run named" : <SourceRun run={sourceRun} />}</dd>
        <dt className="text-faint">Uses</dt>
        <dd>{formatUses(uses)}</dd>
        {named.map(([name, words]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="break-words">{words.map(shownLine).join(", ")}</dd>
          </div>
        ))}
        {named.length === 0 && (
          <>
            <dt className="text-faint">For</dt>
            <dd>all tasks</dd>
          </>
        )}
        {approvedAt !== null && (
          <>
            <dt className="text-faint">Approved</dt>
            <dd>
              <RelativeTime at={approvedAt} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function SourceRun({ run: { id, goal } }: { readonly run: NonNullable<PatternView["sourceRun"]> }) {
  const isOnGraph = useHost((state) => state.run?.id === id);
  const words = goal === null ? "a run in another repository" : `“${shownLine(goal)}”`;
  return (
    <span title={id}>
      {isOnGraph ? (
        <button type="button" className="text-left text-accent-text hover:underline" onClick={inspectRun}>
          {words}
        </button>
      ) : (
        words
      )}{" "}
      <code className="font-mono text-xs text-faint">{shownLine(id)}</code>
    </span>
  );
}
