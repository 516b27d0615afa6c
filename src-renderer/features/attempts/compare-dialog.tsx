import { useEffect, useState } from "react";
import type { AttemptComparison } from "#shared/contract/views/attempt.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { attemptOf, closeAttemptDialog } from "../../state/attempts-store.ts";
import { useHost } from "../../state/host-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { chooseAttempt, undoChoice } from "./attempt-actions.ts";
import { AttemptColumn } from "./attempt-column.tsx";

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
        .map(({ name, status, iteration, checks, fold }) => [
          name,
          status,
          iteration,
          checks.length,
          fold?.state.stage,
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
