import type { ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../kit/badge.tsx";
import { CardFrame } from "./card-frame.tsx";

/** What an archangel thinks should be done. Ignoring it costs nothing. */
export function SuggestionCard({ item }: { readonly item: ItemOf<"suggestion"> }) {
  return (
    <CardFrame
      item={item}
      {...(item.canBeTask
        ? { approve: { label: "Make it a task", decision: () => ({ kind: "task" }) } }
        : {})}
      reject={{ label: "Refuse", reason: null }}
    >
      <div className="flex flex-wrap items-center gap-1.5">
        <Badge>{item.agent}</Badge>
        <Badge>{item.priority}</Badge>
        {item.files.map((file) => (
          <Badge key={file} mono>
            {file}
          </Badge>
        ))}
      </div>
      <p className="text-sm whitespace-pre-wrap" data-selectable>
        {shownText(item.context)}
      </p>
    </CardFrame>
  );
}
