import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { inspect } from "../../state/selection-store.ts";
import { VotesView } from "../inspector/votes-view.tsx";
import {
  CardFrame,
  DecisionButton,
  ReasonForm,
  RepairHint,
  useAnswer,
  useCardDraft,
  withText,
} from "./card-frame.tsx";

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
  const { isBusy, send } = useAnswer(item);
  const [hint, setHint] = useCardDraft(item, "words", "");
  const [isLanding, setLanding] = useCardDraft(item, "landing", false);
  const words = item.phase === undefined ? ofResult : ofPhase;
  const repair = { kind: "repair", ...withText(hint) } as const;
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
          isBusy={isBusy}
          onCancel={() => setLanding(false)}
          onSend={(reason) => void send({ kind: "land", reason })}
        />
      </CardFrame>
    );
  return (
    <CardFrame
      item={item}
      approve={{ label: "Repair again", decision: () => repair }}
      first={<RepairHint value={hint} onChange={setHint} onSend={() => void send(repair)} />}
      last={
        <>
          <Button disabled={isBusy} onClick={() => setLanding(true)}>
            {words.anyway}
          </Button>
          <DecisionButton keys={decisionKeys.reject} disabled={isBusy} onClick={() => void stop(send)}>
            Stop
          </DecisionButton>
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
