import { useEffect, useState } from "react";
import type { AttemptComparison, AttemptView } from "#shared/contract/commands/worker.ts";
import type { AttemptGroupView } from "#shared/contract/views/run.ts";
import { statOf } from "#shared/domain/files/diff.ts";
import { isGreen } from "#shared/domain/merge-request/merge-request.ts";
import { notMetered } from "#shared/domain/spending/unmetered.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { dollars, duration, tokens } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { LineCounts } from "../../kit/line-diff.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { MergeRequestReviews } from "../../kit/merge-request-reviews.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { StatusIcon } from "../../kit/status-icon.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { attemptOf, closeAttemptDialog } from "../../state/attempts-store.ts";
import { useHost } from "../../state/host-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { chooseAttempt, undoChoice } from "./attempt-actions.ts";

const baseOption = "base";

/** All attempts at one task in columns, and the choice between them. */
export function CompareDialog({ worker }: { readonly worker: string }) {
  const [against, setAgainst] = useState<string>(baseOption);
  const status = useAttemptStatus(worker);
  const loaded = useLoaded(`${against} ${status}`, () =>
    client.attempt.compare({ worker, against: against === baseOption ? null : against }),
  );
  const compared = shownValue(loaded);
  useChoiceKeys(compared);
  return (
    <Dialog
      open
      onClose={closeAttemptDialog}
      title={compared ? `${compared.attempts.length} attempts: ${compared.group.title}` : "Attempts"}
      {...(compared ? { description: <AttemptStatusTable compared={compared} /> } : {})}
      width="w-[calc(100vw-64px)]"
      actions={
        <>
          {compared && compared.group.chosen !== null && (
            <Button
              className="mr-auto"
              disabled={!compared.group.canUndo}
              title={compared.group.canUndo ? "" : "Its work is merged. Undo the merge first."}
              onClick={() => void undoChoice(worker)}
            >
              Undo the choice
            </Button>
          )}
          <Button onClick={closeAttemptDialog}>Close</Button>
        </>
      }
    >
      {loaded.kind === "failed" && <LoadFailure failure={loaded.failure} again={loaded.again} />}
      <div className="min-h-[50vh]">
        {compared && <Columns compared={compared} against={against} onAgainst={setAgainst} />}
      </div>
    </Dialog>
  );
}

/** Whatever moves in one of them makes it another comparison. */
const useAttemptStatus = (worker: string): string =>
  useHost(({ run }) => {
    const group = attemptOf(run, worker)?.group;
    const names = group?.attempts.map((one) => one.worker) ?? [];
    return JSON.stringify([
      group?.chosen,
      group?.canUndo,
      run?.workers
        .filter(({ name }) => names.includes(name))
        .map(({ name, status, iteration, checks, mergeRequest }) => [
          name,
          status,
          iteration,
          checks.length,
          mergeRequest?.state.stage,
        ]),
    ]);
  });

interface ColumnsProps {
  readonly compared: AttemptComparison;
  readonly against: string;
  readonly onAgainst: (against: string) => void;
}

function Columns({ compared: { group, attempts }, against, onAgainst }: ColumnsProps) {
  return (
    <>
      <div className="sticky top-0 z-10 bg-raised pb-2">
        <Segmented
          label="Compare the files against"
          value={against}
          onChange={onAgainst}
          options={[
            { value: baseOption, label: "Base" },
            ...attempts
              .filter(({ isOut }) => !isOut)
              .map(({ worker, nth }) => ({ value: worker, label: `Attempt ${nth}` })),
          ]}
        />
      </div>
      <div
        className="grid gap-3 overflow-x-auto"
        style={{ gridTemplateColumns: `repeat(${attempts.length}, minmax(340px, 1fr))` }}
      >
        {attempts.map((one) => (
          <AttemptColumn key={one.worker} attempt={one} group={group} isReference={one.worker === against} />
        ))}
      </div>
    </>
  );
}

interface AttemptColumnProps {
  readonly attempt: AttemptView;
  readonly group: AttemptGroupView;
  /** The files of the others are compared with its own. */
  readonly isReference: boolean;
}

/** One attempt: its worker, status, cost, and files. */
function AttemptColumn({ attempt, group, isReference }: AttemptColumnProps) {
  const theme = useShownTheme();
  const { worker, nth, model, status, summary, diff, isDiffCut, checks, reviews, isOut, origin } = attempt;
  const isChosen = group.chosen === worker;
  return (
    <section
      aria-label={`Attempt ${nth}: ${worker}`}
      data-attempt={worker}
      className={cx(
        "flex min-w-0 flex-col gap-2 rounded-lg border p-3",
        isChosen ? "border-accent" : "border-line",
        isOut && "opacity-60",
      )}
    >
      <header className="flex min-w-0 items-center gap-2">
        <kbd className="rounded-sm border bg-sunken px-1.5 text-xs text-muted">{nth}</kbd>
        <StatusIcon status={isOut ? "abandoned" : status} />
        <Avatar name={worker} />
        <span className="font-semibold">{worker}</span>
        <span className="min-w-0 flex-1 truncate text-sm text-muted">{model}</span>
        {isChosen && <Badge tone="accent">chosen</Badge>}
        {isOut && <Badge>abandoned</Badge>}
      </header>
      {origin && (
        <p className="text-sm text-muted">
          Forked from {origin.worker}, iteration {origin.iteration}, turn {origin.turn}
          {origin.words !== "" && <>: “{shownText(origin.words)}”</>}
        </p>
      )}
      <Activity attempt={attempt} />
      {summary !== "" && (
        <p className="text-sm whitespace-pre-wrap" data-selectable>
          {shownText(summary)}
        </p>
      )}
      <Facts attempt={attempt} />
      {group.chosen === null && !isOut && (
        <Button look="primary" className="self-start" onClick={() => void chooseAttempt(worker)}>
          Choose this one <kbd className="text-xs">{nth}</kbd>
        </Button>
      )}
      <div className="-mx-3">
        <ChecksView checks={checks} />
      </div>
      <MergeRequestReviews reviews={reviews} />
      <Files diff={diff} />
      <div className="min-w-0 overflow-auto rounded-md border">
        <DiffView
          diff={diff}
          theme={theme}
          empty={
            isReference
              ? "The other attempts are compared with this one."
              : isOut
                ? "Its change is no longer on the graph."
                : "No differences."
          }
        />
      </div>
      {isDiffCut && <p className="text-sm text-warning">Diff too long. Only the first part is shown.</p>}
    </section>
  );
}

/** What it does at this moment, while it does something. */
function Activity({ attempt: { worker, isOut } }: Pick<AttemptColumnProps, "attempt">) {
  const found = useHost(({ run }) => run?.workers.find(({ name }) => name === worker));
  if (isOut || !found || found.activity === "") return null;
  const isFailing = found.state === "failed" || found.quiet !== null;
  return (
    <p className={cx("text-sm", isFailing ? "text-warning" : "text-muted")}>{shownText(found.activity)}</p>
  );
}

function Facts({ attempt }: Pick<AttemptColumnProps, "attempt">) {
  const stat = statOf(attempt.diff);
  const sum = (part: "added" | "removed"): number => stat.reduce((all, file) => all + file[part], 0);
  return (
    <dl className="grid grid-cols-3 gap-x-3 gap-y-1 text-sm tabular-nums">
      <Fact name="Checks">
        <ChecksWord checks={attempt.checks} />
      </Fact>
      <Fact name="Files">
        {stat.length} <span className="text-success">+{sum("added")}</span>{" "}
        <span className="text-danger">−{sum("removed")}</span>
      </Fact>
      <Fact name="Cost">{attempt.isUnmetered ? notMetered : dollars(attempt.microDollars)}</Fact>
      <Fact name="Tokens">{tokens(attempt.tokens)}</Fact>
      <Fact name="Time">{duration(attempt.ms)}</Fact>
      <Fact name="Iterations">{attempt.iteration}</Fact>
    </dl>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="truncate">{children}</dd>
  </div>
);

function ChecksWord({ checks }: Pick<AttemptView, "checks">) {
  if (checks.length === 0) return <span className="text-faint">none yet</span>;
  return isGreen(checks) ? (
    <span className="text-success">pass</span>
  ) : (
    <span className="text-danger">fail</span>
  );
}

function Files({ diff }: { readonly diff: string }) {
  const stat = statOf(diff);
  if (stat.length === 0) return null;
  return (
    <ul aria-label="Files" className="max-h-32 overflow-y-auto rounded-md border px-2 py-1 font-mono text-sm">
      {stat.map(({ path, added, removed }) => (
        <li key={path} className="flex gap-2">
          <span className="min-w-0 flex-1 truncate">
            <FileName path={path} />
          </span>
          <LineCounts added={added} removed={removed} />
        </li>
      ))}
    </ul>
  );
}

function AttemptStatusTable({ compared: { group, attempts } }: { readonly compared: AttemptComparison }) {
  if (group.chosen !== null)
    return (
      <>
        {group.chosen} was chosen. The others are abandoned{group.canUndo ? ". You can undo this" : ""}.
      </>
    );
  const going = attempts.filter(
    ({ isOut, status }) => !isOut && status !== "review" && status !== "done",
  ).length;
  return going > 0 ? (
    <>
      {going} of {attempts.length} {going === 1 ? "is" : "are"} still working. You can choose now; the others
      are abandoned.
    </>
  ) : (
    <>All attempts have ended. Choose one. The others are abandoned; you can undo this.</>
  );
}

export const choiceKeys: KeyTable<AttemptComparison> = {
  place: "Comparing attempts",
  rows: [
    {
      keys: "1",
      also: ["2", "3", "4", "5", "6", "7", "8", "9"],
      to: "9",
      what: "choose the attempt with this number",
      run({ group, attempts }, { key }) {
        const found = attempts.find(({ nth, isOut }) => !isOut && String(nth) === key);
        if (!found || group.chosen !== null) return false;
        void chooseAttempt(found.worker);
        return true;
      },
    },
  ],
};

/** The number of an attempt chooses it. */
function useChoiceKeys(compared: AttemptComparison | null): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (compared) takeKey(choiceKeys, event, compared);
    };
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, [compared]);
}
