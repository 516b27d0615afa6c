import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { confirm } from "../../kit/confirm.tsx";
import { answer } from "../../state/answer.ts";
import { DecisionButton } from "./card-frame.tsx";

/** Ends a task from its card, after a question: the run continues without it. */
export function GiveUpTask({
  item,
  worker,
}: {
  readonly item: ItemOf<"fold" | "trouble">;
  readonly worker: string | null;
}) {
  const giveUp = async (): Promise<void> => {
    const sure = await confirm({
      title: "Abandon this task?",
      body: `The change of ${worker} is abandoned and the run continues without it. It stays in jj’s operation log.`,
      action: "Abandon task",
      danger: true,
    });
    if (sure) await answer(item, { kind: "abandon" });
  };
  return (
    <DecisionButton look="ghost" keys={decisionKeys.abandon} onClick={() => void giveUp()}>
      Abandon task
    </DecisionButton>
  );
}
