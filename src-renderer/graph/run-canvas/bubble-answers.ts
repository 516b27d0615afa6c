/** How a waiting card is answered on the canvas: by a key or two, or in the inbox. */
import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { InboxItem } from "#shared/contract/cards.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";

export interface BubbleAnswer {
  readonly key: string;
  readonly label: string;
  readonly does:
    | { readonly kind: "answer"; readonly text: string }
    | { readonly kind: "approve" }
    | { readonly kind: "reject" }
    | { readonly kind: "open" };
}

const maxOptions = 3;
const open: BubbleAnswer = { key: "o", label: "Open", does: { kind: "open" } };

/** In the order of their buttons. */
export function bubbleAnswers(item: InboxItem): readonly BubbleAnswer[] {
  if (item.kind === "align-request" && item.options.length > 0)
    return [
      ...item.options.slice(0, maxOptions).map(
        (text, index): BubbleAnswer => ({
          key: String(index + 1),
          label: shownLine(text),
          does: { kind: "answer", text },
        }),
      ),
      ...(item.options.length > maxOptions ? [open] : []),
    ];
  if (item.kind === "mutation")
    return [
      { key: decisionKeys.approve, label: "Approve", does: { kind: "approve" } },
      { key: decisionKeys.reject, label: "Reject…", does: { kind: "reject" } },
    ];
  return [open];
}
