import type { ItemOf } from "#shared/contract/cards.ts";
import { VotesView } from "../inspector/votes-view.tsx";
import { CardFrame } from "./card-frame.tsx";

/** Votes that do not converge: a person breaks the tie with the seats' reasons in sight. */
export function VotesCard({ item }: { readonly item: ItemOf<"votes"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Accept the result", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Send back", reason: "What has to be repaired?" }}
    >
      <VotesView validation={item.validation} />
    </CardFrame>
  );
}
