import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { TextArea } from "../../kit/field.tsx";
import { CardFrame, DecisionButton, GiveUpTask, useAnswer, useCardDraft, withText } from "./card-frame.tsx";
import { CheckWays } from "./preflight-card.tsx";

/** Something failed that Hox could not fix: what, and what to do. */
export function TroubleCard({ item }: { readonly item: ItemOf<"trouble"> }) {
  return item.task === true ? <TaskTrouble item={item} /> : <RunTrouble item={item} />;
}

function RunTrouble({ item }: { readonly item: ItemOf<"trouble"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Retry", decision: () => ({ kind: "retry" }) }}
      reject={{
        label: "Stop the run",
        reason: null,
        confirm: "The work of all agents is saved in the graph first. A stopped run cannot be resumed.",
      }}
    >
      <What item={item} />
    </CardFrame>
  );
}

/** The other agents keep working, whatever the answer to this one. */
function TaskTrouble({ item }: { readonly item: ItemOf<"trouble"> }) {
  const { isBusy, send } = useAnswer(item);
  const [words, setText] = useCardDraft(item, "words", "");
  const [changed, setChanged] = useCardDraft<{ readonly command: string; readonly instead: string } | null>(
    item,
    "changed",
    null,
  );
  return (
    <CardFrame
      item={item}
      approve={
        changed === null
          ? { label: "Retry", decision: () => ({ kind: "retry", ...withText(words) }) }
          : {
              label: "Retry with this command",
              decision: () => ({ kind: "change-check", ...changed, instead: changed.instead.trim() }),
            }
      }
      last={
        <>
          <DecisionButton
            keys={decisionKeys.pause}
            disabled={isBusy}
            onClick={() => void send({ kind: "pause" })}
          >
            Pause {item.worker}
          </DecisionButton>
          <GiveUpTask item={item} worker={item.worker} />
        </>
      }
    >
      <What item={item} />
      {(item.checks ?? []).map((check) => (
        <section key={check.command} className="rounded-md border px-2.5 py-1.5">
          <p className="text-sm">
            <span className="font-medium">{shownText(check.name)}</span> {outcomeText[check.outcome]}
          </p>
          <CheckWays
            name={check.name}
            command={check.command}
            exclude={null}
            instead={changed?.command === check.command ? changed.instead : ""}
            onInstead={(instead) =>
              setChanged(instead.trim() === "" ? null : { command: check.command, instead })
            }
            onStop={() => void send({ kind: "leave-out", commands: [check.command] })}
          />
        </section>
      ))}
      <TextArea
        rows={2}
        aria-label={`Message to ${item.worker}`}
        placeholder={`Message to ${item.worker} for the retry (optional)`}
        value={words}
        onChange={(event) => setText(event.target.value)}
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
