import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { answer } from "./answer.ts";
import { CardFrame } from "./card-frame.tsx";
import type { ItemOf } from "./item-of.ts";

/** Something went wrong that Hox could not mend by itself: what, and what to do. */
export function TroubleCard({ item }: { readonly item: ItemOf<"trouble"> }) {
  const [busy, setBusy] = useState(false);
  const retry = async (): Promise<void> => {
    setBusy(true);
    await answer(item, { kind: "retry" });
    setBusy(false);
  };
  return (
    <CardFrame
      item={item}
      first={
        <Button look="primary" disabled={busy} onClick={() => void retry()}>
          Try again
        </Button>
      }
      reject={{
        label: "Stop the run",
        reason: null,
        confirm: "The work of every agent is saved in the graph first. A stopped run does not go on.",
      }}
    >
      <p className="whitespace-pre-wrap" data-selectable>
        {item.detail}
      </p>
      <p className="whitespace-pre-wrap text-muted">{item.remedy}</p>
    </CardFrame>
  );
}
