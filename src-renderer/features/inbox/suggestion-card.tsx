import type { ItemOf } from "#shared/contract/cards.ts";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../kit/badge.tsx";
import { PriorityIcon } from "../../kit/status-icon.tsx";
import { CardFrame, DecisionButton, useAnswer, useCardDraft } from "./card-frame.tsx";

/** What an archangel thinks should be done. Nobody waits for the answer, and ignoring it costs nothing. */
export function SuggestionCard({ item }: { readonly item: ItemOf<"suggestion"> }) {
  return (
    <CardFrame
      item={item}
      {...(item.canBeTask ? { approve: { label: "Add as task", decision: () => ({ kind: "task" }) } } : {})}
      reject={{ label: "Dismiss", reason: null }}
      last={<OtherWays item={item} />}
    >
      <div className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
        <PriorityIcon priority={item.priority} />
        <span>{item.priority}</span>
        <span aria-hidden>·</span>
        <span>{item.agent}</span>
        {item.session !== null && <span>after reviewing {shownName(item.session)}</span>}
      </div>
      {item.context !== "" && (
        <p
          className="border-l-2 pl-2.5 text-sm text-pretty break-words whitespace-pre-wrap text-muted"
          data-selectable
        >
          {shownText(item.context)}
        </p>
      )}
      {item.files.length > 0 && (
        <div className="flex flex-wrap gap-1">
          {item.files.map((file) => (
            <Badge key={file} mono title={shownName(file)}>
              {shownName(file)}
            </Badge>
          ))}
        </div>
      )}
      <p className="text-xs text-faint">
        No agent waits for your answer.{" "}
        {item.canBeTask ? "" : " The plan accepts no more tasks, but a saved idea can start a run."}
      </p>
    </CardFrame>
  );
}

/** A word to an agent, or a goal for later. */
function OtherWays({ item }: { readonly item: ItemOf<"suggestion"> }) {
  const [first] = item.recipients;
  const [chosen, choose] = useCardDraft<string | null>(item, "to", null);
  const { isBusy, send } = useAnswer(item);
  const to = chosen !== null && item.recipients.includes(chosen) ? chosen : first;
  return (
    <>
      <DecisionButton
        keys="i"
        disabled={isBusy}
        title="Save it as the goal of a later run"
        onClick={() => void send({ kind: "idea" })}
      >
        Save as idea
      </DecisionButton>
      {to !== undefined && (
        <span className="inline-flex items-center gap-1">
          <DecisionButton keys="m" disabled={isBusy} onClick={() => void send({ kind: "message", to })}>
            Send to {item.recipients.length === 1 ? to : ""}
          </DecisionButton>
          {item.recipients.length > 1 && (
            <select
              aria-label="Recipient"
              value={to}
              onChange={(event) => choose(event.target.value)}
              className="h-7 max-w-36 rounded-md border border-line-strong bg-surface px-1.5 text-sm"
            >
              {item.recipients.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </span>
      )}
    </>
  );
}
