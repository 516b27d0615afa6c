import { useState } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { answer } from "../../state/answer.ts";
import { inspect } from "../../state/selection-store.ts";
import { VotesView } from "../inspector/votes-view.tsx";
import { CardFrame, ReasonForm } from "./card-frame.tsx";
import { useCardDraft } from "./drafts.ts";

const ofResult = {
  anyway: "Land anyway…",
  against: "Override and land",
  why: "Why land it anyway? Your reason is recorded on the change.",
};
const ofPhase = {
  anyway: "Continue…",
  against: "Start the next phase",
  why: "Why start the next phase anyway? Your reason is recorded on the change.",
};

/** A verdict that failed: repair once more, land all the same with a reason, or stop. */
export function VotesCard({ item }: { readonly item: ItemOf<"votes"> }) {
  const [busy, setBusy] = useState(false);
  const [hint, setHint] = useCardDraft(item, "words", "");
  const [isLanding, setLanding] = useCardDraft(item, "landing", false);
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
      <VotesView validation={item.validation} rounds={item.rounds} isAsked />
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
          // It grows with what is said, so that what is decided on keeps the room.
          className="max-h-40 min-h-8! basis-full field-sizing-content"
          rows={1}
          aria-label="Instructions for the repair"
          placeholder="Instructions for the repair (optional)"
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
    body: "It ends as rejected and nothing lands. Its changes are kept on the graph.",
    action: "Stop the run",
    danger: true,
  });
  if (isSure) await send({ kind: "stop" });
}

/** The round, its total cost, and a link to the result. */
function Facts({ item: { validation, changeId, microDollars } }: { readonly item: ItemOf<"votes"> }) {
  return (
    <div className="-mt-1 flex items-center gap-3 text-sm text-muted tabular-nums">
      <span>Round {validation.attempt}</span>
      <span>{dollars(microDollars)} spent</span>
      <span className="flex-1" />
      <Button look="ghost" size="sm" className="-mr-2" onClick={() => inspect(changeId)}>
        Show the change
      </Button>
    </div>
  );
}
