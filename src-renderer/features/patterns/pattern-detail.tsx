import { ArchiveX, History, Pencil } from "lucide-react";
import { type Ref, useState } from "react";
import type { PatternVersionView, PatternView } from "#shared/contract/commands/pattern.ts";
import { formatFitting, formatUses } from "#shared/domain/patterns/pattern-record.ts";
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { focusWhenLost } from "../../kit/focus-soon.ts";
import { Keys } from "../../kit/keys.tsx";
import { LineDiff } from "../../kit/line-diff.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Section, type Term, Terms } from "../../kit/section.tsx";
import { FormDialog } from "../../kit/submit-form.tsx";
import { UntrustedMarkdown } from "../../kit/untrusted-markdown.tsx";
import { useHost } from "../../state/host-store.ts";
import { patternsChanged, stateLabels, usePatternMoment } from "../../state/pattern-library.ts";
import { inspectRun } from "../../state/selection-store.ts";
import { shownValue, useAttempt, useLoaded, useSubmit } from "../../state/use-loaded.ts";
import { PatternEditor } from "./pattern-editor.tsx";
import { formatConfidence } from "./pattern-list.tsx";

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

/** The texts that were approved here, the newest first, each with what it changed. */
function PatternVersions({ pattern }: { readonly pattern: PatternView }) {
  const { id, versions, version, state } = pattern;
  const [open, setOpen] = useState<number | "branch" | null>(null);
  const toggle = (what: number | "branch") => setOpen(open === what ? null : what);
  if (versions.length === 0)
    return (
      <Section title="Versions">
        <p className="text-sm text-muted">No approved version yet.</p>
      </Section>
    );
  return (
    <Section title="Versions">
      <ul className="flex flex-col rounded-md border">
        {state === "not-approved" && (
          <li className="border-b px-3 py-1.5 last:border-b-0">
            <div className="flex min-h-6 items-center gap-2 text-sm">
              <span className="flex-1">Text on the branch</span>
              <DiffButton isOpen={open === "branch"} onToggle={() => toggle("branch")} />
            </div>
            {open === "branch" && <Changed id={id} />}
          </li>
        )}
        {versions.toReversed().map((one) => (
          <VersionRow
            key={one.version}
            pattern={pattern}
            one={one}
            isInForce={one.version === version}
            isOpen={open === one.version}
            onToggle={() => toggle(one.version)}
          />
        ))}
      </ul>
    </Section>
  );
}

const DiffButton = ({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) => (
  <Button size="sm" look="ghost" aria-expanded={isOpen} onClick={onToggle}>
    {isOpen ? "Hide" : "Show changes"}
  </Button>
);

interface VersionRowProps {
  readonly pattern: PatternView;
  readonly one: PatternVersionView;
  readonly isInForce: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function VersionRow({ pattern: { id }, one, isInForce, isOpen, onToggle }: VersionRowProps) {
  const { version, at, run } = one;
  const [isBusy, attempt] = useAttempt();
  const restore = (): Promise<void> =>
    attempt("The version was not restored", () => client.pattern.restore({ id, version })).then(
      patternsChanged,
    );
  return (
    <li className="border-b px-3 py-1.5 last:border-b-0" data-version={version}>
      <div className="flex min-h-6 flex-wrap items-center gap-2 text-sm">
        <span className="font-medium">Version {version}</span>
        {isInForce && <Badge tone="success">in use</Badge>}
        <span className="min-w-0 flex-1 truncate text-muted" title={run ?? undefined}>
          <RelativeTime at={at} /> · {run === null ? "approved in the library" : "approved on a run's card"}
        </span>
        {!isInForce && (
          <Button size="sm" look="ghost" disabled={isBusy} onClick={() => void restore()}>
            Restore
          </Button>
        )}
        <DiffButton isOpen={isOpen} onToggle={onToggle} />
      </div>
      {isOpen && <Changed id={id} to={version} />}
    </li>
  );
}

/** Against the version before it; the first one against nothing. */
function Changed({ id, to }: { readonly id: string; readonly to?: number }) {
  const moment = usePatternMoment();
  const loaded = useLoaded(`${id} ${to ?? ""} ${moment}`, () =>
    client.pattern.diff({ id, ...(to === undefined ? {} : { to }) }),
  );
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  const diff = shownValue(loaded);
  if (diff === null) return <div className="min-h-16" aria-busy="true" />;
  return (
    <div className="mt-1 mb-1.5">
      <p className="mb-1 text-xs text-faint">
        from {diff.from} to {diff.to}
      </p>
      <LineDiff lines={diff.lines} label={`Changes from ${diff.from} to ${diff.to}`} />
    </div>
  );
}

interface RetireDialogProps {
  readonly pattern: PatternView;
  readonly onClose: () => void;
}

/** Why a pattern is not told any more. It can be brought back, so nothing else is asked. */
function RetireDialog({ pattern: { id, title, versions }, onClose }: RetireDialogProps) {
  const [reason, setReason] = useState("");
  const { sending, failure, submit } = useSubmit<"retire">();
  const retire = (): Promise<void> =>
    submit("retire", async () => {
      await client.pattern.retire({ id, reason: reason.trim() });
      patternsChanged();
      onClose();
    });
  return (
    <FormDialog
      onClose={onClose}
      title={`Retire “${shownLine(title)}”?`}
      description={
        versions.length === 0
          ? "It is removed from the branch. It was never approved here, so only a pull or its author can restore it."
          : "It is removed from the branch and no longer used in runs. All versions are kept, and you can restore any of them."
      }
      look="danger"
      action={
        <>
          Retire <Keys keys="mod+Enter" />
        </>
      }
      canSubmit={sending === null}
      onSubmit={retire}
      failure={failure}
    >
      <Field label="Reason (optional)" hint="Shown with the pattern and in the history of the branch.">
        <TextArea
          autoFocus
          rows={2}
          maxLength={1_000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

/** The figures by which it can be recognised, and what they say of the runs recorded here. */
function PatternEvidenceSection({ pattern: { evidence } }: { readonly pattern: PatternView }) {
  return (
    <Section title="Evidence">
      {evidence === null ? (
        <p className="text-sm text-pretty text-muted">No metrics. You have to judge whether it is true.</p>
      ) : (
        <div className="flex flex-col gap-3">
          <table className="w-full max-w-[520px] text-sm" data-selectable>
            <thead>
              <tr className="text-left text-xs text-faint">
                <th className="py-1 font-normal">For comparable runs</th>
                <th className="py-1 text-right font-normal">In the source run</th>
              </tr>
            </thead>
            <tbody>
              {evidence.claims.map(({ text, value }) => (
                <tr key={text} className="border-t">
                  <td className="py-1 font-mono text-xs">{shownText(text)}</td>
                  <td className="py-1 text-right tabular-nums">
                    {value === null ? (
                      <span className="text-faint">not recorded here</span>
                    ) : (
                      value.toLocaleString("en", { maximumFractionDigits: 2 })
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="text-sm text-muted first-letter:uppercase" data-selectable>
            {formatFitting(evidence.fitting)}
          </p>
        </div>
      )}
    </Section>
  );
}

/** The title is already shown above. */
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
  const [isBusy, attempt] = useAttempt();
  const restore = (): Promise<void> =>
    attempt("The pattern was not restored", () => client.pattern.restore({ id })).then(patternsChanged);
  if (state === "retired")
    return (
      <Button look="primary" disabled={isBusy || versions.length === 0} onClick={() => void restore()}>
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
  return (
    <section aria-label="About this pattern">
      <Terms
        terms={[
          ["Learned from", sourceRun === null ? "no run named" : <SourceRun key="run" run={sourceRun} />],
          ["Uses", formatUses(uses)],
          ...isFor.map(
            ([name, words]): Term => [
              name,
              words.length > 0 && <span className="break-words">{words.map(shownLine).join(", ")}</span>,
            ],
          ),
          ["For", isFor.every(([, words]) => words.length === 0) && "all tasks"],
          ["Approved", approvedAt !== null && <RelativeTime key="approved" at={approvedAt} />],
        ]}
      />
    </section>
  );
}

function SourceRun({ run: { id, goal } }: { readonly run: NonNullable<PatternView["sourceRun"]> }) {
  const isOnGraph = useHost((state) => state.run?.id === id);
  const words = goal === null ? "a run in another repository" : `“${shownLine(goal)}”`;
  return (
    <span title={id}>
      {isOnGraph ? <LinkButton onClick={inspectRun}>{words}</LinkButton> : words}{" "}
      <code className="font-mono text-xs text-faint">{shownLine(id)}</code>
    </span>
  );
}
