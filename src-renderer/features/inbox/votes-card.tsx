import { Wrench } from "lucide-react";
import { useState } from "react";
import { decisionKeys } from "#shared/contract/cards/answer-options.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { FailedRound } from "#shared/domain/validation/failed-rounds.ts";
import { dollars } from "../../kit/amounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { answer } from "../../state/answer.ts";
import { inspect } from "../../state/selection-store.ts";
import { VotesView, verdictTones } from "../inspector/votes-view.tsx";
import { CardFrame, ReasonForm } from "./card-frame.tsx";
import { useDraft } from "./drafts.ts";

const ofResult = {
  anyway: "Land anyway…",
  against: "Land against the verdict",
  why: "Why does it land all the same? This stays on the change.",
};
const ofPhase = {
  anyway: "Go on anyway…",
  against: "Begin the next phase",
  why: "Why does the next phase begin all the same? This stays on the change.",
};

/** A verdict that failed: repair once more, land all the same with a reason, or stop. */
export function VotesCard({ item }: { readonly item: ItemOf<"votes"> }) {
  const [busy, setBusy] = useState(false);
  const [hint, setHint] = useDraft(item, "words", "");
  const [isLanding, setLanding] = useDraft(item, "landing", false);
  const words = item.phase === undefined ? ofResult : ofPhase;
  const repair = (): AnswerTo<"votes"> => ({
    kind: "repair",
    ...(hint.trim() === "" ? {} : { words: hint.trim() }),
  });
  const send = async (decision: AnswerTo<"votes">): Promise<void> => {
    if (busy) return;
    setBusy(true);
    await answer(item, decision);
    setBusy(false);
  };
  const evidence = (
    <>
      <Facts item={item} />
      {item.validation.seats.length > 0 ? (
        <VotesView validation={item.validation} />
      ) : (
        <div className="-mx-3">
          <ChecksView checks={item.validation.checks} />
        </div>
      )}
      <Rounds rounds={item.rounds ?? []} />
    </>
  );
  if (isLanding)
    return (
      <CardFrame item={item}>
        {evidence}
        <ReasonForm
          item={item}
          label={words.against}
          question={words.why}
          isRequired
          busy={busy}
          onCancel={() => setLanding(false)}
          onSend={(reason) => void send({ kind: "land", reason })}
        />
      </CardFrame>
    );
  return (
    <CardFrame
      item={item}
      approve={{
        label: "Repair again",
        decision: repair,
      }}
      first={
        <TextArea
          className="basis-full"
          rows={2}
          aria-label="A word to whoever repairs it"
          placeholder="A word to whoever repairs it, if you like: what to look at, what to leave"
          value={hint}
          onChange={(event) => setHint(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send(repair());
          }}
        />
      }
      last={
        <>
          <Button disabled={busy} onClick={() => setLanding(true)}>
            {words.anyway}
          </Button>
          <Button data-decision-key={decisionKeys.reject} disabled={busy} onClick={() => void stop(send)}>
            Stop
            <Keys keys={decisionKeys.reject} />
          </Button>
        </>
      }
    >
      {evidence}
    </CardFrame>
  );
}

/** Ended as rejected a run does not come back. */
async function stop(send: (decision: AnswerTo<"votes">) => Promise<void>): Promise<void> {
  const isSure = await confirm({
    title: "Stop the run?",
    body: "It ends as rejected and nothing lands. Its changes stay on the graph.",
    action: "Stop the run",
    danger: true,
  });
  if (isSure) await send({ kind: "stop" });
}

/** What it has cost, and where the result stands. */
function Facts({ item }: { readonly item: ItemOf<"votes"> }) {
  const { changeId, microDollars, rounds = [] } = item;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {rounds.length > 0 && (
        <span className="text-muted">
          {rounds.length === 1 ? "Repaired once" : `Repaired ${rounds.length} times`}, see below
        </span>
      )}
      {microDollars !== undefined && (
        <span className="text-muted tabular-nums">{dollars(microDollars)} spent</span>
      )}
      {changeId !== undefined && (
        <Button look="ghost" size="sm" onClick={() => inspect(changeId)}>
          Show the change
        </Button>
      )}
    </div>
  );
}

/** Verdicts before this one, and what was done about each. */
function Rounds({ rounds }: { readonly rounds: readonly FailedRound[] }) {
  if (rounds.length === 0) return null;
  return (
    <ol className="flex flex-col gap-2 pb-3" aria-label="What was repaired">
      {rounds.map(({ attempt, verdict, reasons, repair }) => (
        <li key={attempt} className="flex flex-col gap-1 rounded-md border px-2.5 py-2 text-sm">
          <p className="flex items-center gap-2">
            <span className="font-medium">Round {attempt}</span>
            <Badge tone={verdictTones[verdict].tone}>{verdictTones[verdict].words}</Badge>
          </p>
          <ul className="text-muted" data-selectable>
            {reasons.map((reason) => (
              <li key={reason} className="line-clamp-3 whitespace-pre-wrap">
                {shownText(reason)}
              </li>
            ))}
          </ul>
          {repair.words !== "" && (
            <p className="whitespace-pre-wrap" data-selectable>
              <span className="text-muted">You said:</span> {repair.words}
            </p>
          )}
          <p className="flex gap-1.5" data-selectable>
            <Wrench size={14} className="mt-0.5 shrink-0 text-muted" aria-hidden />
            <span className="min-w-0">
              <span className="text-muted">Repaired:</span>{" "}
              {repair.summary === "" ? "nothing was said of it" : shownText(repair.summary)}
            </span>
          </p>
        </li>
      ))}
    </ol>
  );
}
