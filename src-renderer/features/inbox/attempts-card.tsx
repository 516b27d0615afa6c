import type { AttemptOnCard } from "#shared/contract/cards/attempts.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { isGreen } from "#shared/domain/merge-request/merge-request.ts";
import { notMetered } from "#shared/domain/spending/unmetered.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Button } from "../../kit/button.tsx";
import { LineCounts } from "../../kit/line-diff.tsx";
import { compareAttempts } from "../../state/attempts-store.ts";
import { showRun } from "../../state/other-runs.ts";
import { useAnswer } from "./card-frame.tsx";

/** All attempts at a task have ended: what each came to, and which one it shall be. */
export function AttemptsCard({ item }: { readonly item: ItemOf<"attempts"> }) {
  const { isBusy, send } = useAnswer(item);
  const [first] = item.attempts;
  return (
    <div className="flex flex-col gap-3 px-3 pb-3">
      <p className="text-sm text-muted">
        All attempts have ended. The one you choose goes to review. The others are abandoned; you can undo
        this.
      </p>
      <ul className="flex flex-col gap-2">
        {item.attempts.map((one) => (
          <li key={one.worker} className="flex flex-col gap-1.5 rounded-md border p-2.5">
            <span className="flex min-w-0 items-center gap-2">
              <Avatar name={one.worker} />
              <span className="font-medium">{one.worker}</span>
              <span className="min-w-0 truncate text-sm text-faint">{one.model}</span>
            </span>
            {one.summary !== "" && (
              <p className="line-clamp-3 text-sm whitespace-pre-wrap" data-selectable>
                {shownText(one.summary)}
              </p>
            )}
            <Facts attempt={one} />
            <Button
              className="self-start"
              data-decision-key={one.nth}
              disabled={isBusy}
              onClick={() => void send({ kind: "choose", worker: one.worker })}
            >
              <kbd className="text-xs text-faint" aria-hidden>
                {one.nth}
              </kbd>
              Choose this one
            </Button>
          </li>
        ))}
      </ul>
      {first && (
        <Button
          look="primary"
          className="self-start"
          onClick={() => {
            showRun(item.run);
            compareAttempts(first.worker);
          }}
        >
          Compare side by side
        </Button>
      )}
    </div>
  );
}

function Facts({ attempt }: { readonly attempt: AttemptOnCard }) {
  const { files, checks, iterations, microDollars, ms, isStuck, isUnmetered } = attempt;
  const sum = (part: "added" | "removed"): number => files.reduce((all, file) => all + file[part], 0);
  const isPassing = isGreen(checks);
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm text-muted tabular-nums">
      <span className={isStuck ? "text-warning" : isPassing ? "text-success" : "text-danger"}>
        {isStuck ? "got stuck" : isPassing ? "checks pass" : "checks fail"}
      </span>
      <span>{counted(files.length, "file")}</span>
      <LineCounts added={sum("added")} removed={sum("removed")} />
      <span>{counted(iterations, "iteration")}</span>
      <span>{isUnmetered ? notMetered : dollars(microDollars)}</span>
      <span>{duration(ms)}</span>
    </p>
  );
}
