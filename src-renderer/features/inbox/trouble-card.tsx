import { useState } from "react";
import { decisionKeys } from "#shared/contract/cards/answer-options.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { answer } from "../../state/answer.ts";
import { CardFrame } from "./card-frame.tsx";
import { useCardDraft } from "./drafts.ts";
import { GiveUpTask } from "./give-up-task.tsx";

/** Something went wrong that Hox could not mend by itself: what, and what to do. */
export function TroubleCard({ item }: { readonly item: ItemOf<"trouble"> }) {
  return item.task === true ? <TaskTrouble item={item} /> : <RunTrouble item={item} />;
}

function RunTrouble({ item }: { readonly item: ItemOf<"trouble"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Try again", decision: () => ({ kind: "retry" }) }}
      reject={{
        label: "Stop the run",
        reason: null,
        confirm: "The work of every agent is saved in the graph first. A stopped run does not go on.",
      }}
    >
      <What item={item} />
    </CardFrame>
  );
}

/** Everyone else goes on meanwhile, whatever is said to this one. */
function TaskTrouble({ item }: { readonly item: ItemOf<"trouble"> }) {
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useCardDraft(item, "words", "");
  const wait = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    await answer(item, { kind: "hold" });
    setBusy(false);
  };
  return (
    <CardFrame
      item={item}
      approve={{
        label: "Try again",
        decision: () => ({ kind: "retry", ...(words.trim() === "" ? {} : { words: words.trim() }) }),
      }}
      last={
        <>
          <Button data-decision-key={decisionKeys.hold} disabled={busy} onClick={() => void wait()}>
            Pause {item.worker}
            <Keys keys={decisionKeys.hold} />
          </Button>
          <GiveUpTask item={item} worker={item.worker} />
        </>
      }
    >
      <What item={item} />
      <TextArea
        rows={2}
        aria-label={`A word to ${item.worker}`}
        placeholder={`A word to ${item.worker} for the next try`}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
    </CardFrame>
  );
}

function What({ item }: { readonly item: ItemOf<"trouble"> }) {
  return (
    <>
      <p className="whitespace-pre-wrap" data-selectable>
        {item.detail}
      </p>
      <p className="whitespace-pre-wrap text-muted">{item.remedy}</p>
    </>
  );
}
