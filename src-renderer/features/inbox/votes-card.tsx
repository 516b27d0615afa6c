import { useState } from "react";
import { decisionKeys } from "#shared/contract/cards/answer-options.ts";
import { failedVerdictWords } from "#shared/contract/cards/votes.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { answer } from "../../state/answer.ts";
import { VotesView } from "../inspector/votes-view.tsx";
import { CardFrame } from "./card-frame.tsx";
import { useDraft } from "./drafts.ts";

/** A verdict that failed: repair once more, land all the same with a reason, or stop. */
export function VotesCard({ item }: { readonly item: ItemOf<"votes"> }) {
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useDraft(item, "words", "");
  const said = words.trim();
  const send = async (decision: AnswerTo<"votes">): Promise<void> => {
    if (busy) return;
    setBusy(true);
    await answer(item, decision);
    setBusy(false);
  };
  return (
    <CardFrame
      item={item}
      approve={{
        label: "Repair once more",
        decision: () => ({ kind: "repair", ...(said === "" ? {} : { words: said }) }),
      }}
      last={
        <>
          <Button disabled={busy || said === ""} onClick={() => void send({ kind: "land", reason: said })}>
            Land anyway
          </Button>
          <Button
            data-decision-key={decisionKeys.reject}
            disabled={busy}
            onClick={() => void send({ kind: "stop" })}
          >
            Stop the run
            <Keys keys={decisionKeys.reject} />
          </Button>
        </>
      }
    >
      <p>{failedVerdictWords(item.validation)}</p>
      <VotesView validation={item.validation} />
      <TextArea
        rows={2}
        aria-label="What to repair, or why it lands all the same"
        placeholder="What to repair, or why it lands all the same"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
    </CardFrame>
  );
}
