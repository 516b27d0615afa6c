import type { ItemOf } from "#shared/contract/cards.ts";
import { formatOutOfScopeFile } from "#shared/domain/merge-request/out-of-scope-files.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { ChecksView } from "../../kit/checks-view.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { FoldReviews } from "../../kit/fold-reviews.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { inspect } from "../../state/selection-store.ts";
import { CardFrame } from "./card-frame.tsx";
import { GiveUpTask } from "./give-up-task.tsx";

const reasons: Readonly<Record<ItemOf<"fold">["why"], string>> = {
  "person-reviews": "You review finished work in this repository.",
  "passed-on": "Its orchestrator leaves the decision to you.",
  "too-many-rounds": "It was sent back the maximum number of times.",
};

/** Finished work that a person judges: what was said so far, the checks of a fresh checkout, and the work itself. */
export function FoldCard({ item, wide }: { readonly item: ItemOf<"fold">; readonly wide?: boolean }) {
  const theme = useShownTheme();
  return (
    <CardFrame
      item={item}
      approve={{ label: "Accept", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Ask for changes", reason: "What should change? The agent will read it." }}
      last={<GiveUpTask item={item} worker={item.from} />}
    >
      <p className="text-sm text-muted">
        <button
          type="button"
          className="rounded-sm font-medium text-accent-text hover:underline"
          onClick={() => inspect(item.changeId)}
        >
          {item.from}
        </button>
        , round {item.round}. {reasons[item.why]}
      </p>
      <p className="whitespace-pre-wrap" data-selectable>
        {shownText(item.summary)}
      </p>
      {item.checks.length > 0 && (
        <div className="-mx-3 -my-2">
          <ChecksView checks={item.checks} />
        </div>
      )}
      {item.beyond && item.beyond.length > 0 && (
        <div className="flex flex-col gap-1 text-sm">
          <p className="font-medium">Outside its task</p>
          <ul className="list-disc pl-5 text-muted" data-selectable>
            {item.beyond.map((one) => (
              <li key={one.path}>{shownText(formatOutOfScopeFile(one))}</li>
            ))}
          </ul>
        </div>
      )}
      <FoldReviews reviews={item.reviews} />
      <div className={wide ? "overflow-auto rounded-md border" : "max-h-80 overflow-auto rounded-md border"}>
        <DiffView diff={item.diff} theme={theme} layout={wide ? "split" : "unified"} />
      </div>
    </CardFrame>
  );
}
