import { type ReactNode, useEffect, useRef, useState } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import { repeatText } from "#shared/contract/cards/repeated-answer.ts";
import type { CardAnswer, InboxItem, ItemOf } from "#shared/contract/cards.ts";
import { Button, type ButtonProps } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { confirm } from "../../kit/dialog.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { answer } from "../../state/answer.ts";
import { useDraft } from "../../state/drafts.ts";

export interface CardBodyProps<Item> {
  readonly item: Item;
  /** Whether it has the room of a large dialog. */
  readonly isWide: boolean;
}

/** Sends answers to a card, one at a time. */
export function useAnswer(item: InboxItem) {
  const [isBusy, setBusy] = useState(false);
  const send = async (decision: CardAnswer): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await answer(item, decision);
    setBusy(false);
  };
  return { isBusy, send };
}

/** A button that its key presses, too. */
export const DecisionButton = ({ keys, children, ...rest }: ButtonProps & { readonly keys: string }) => (
  <Button data-decision-key={keys} {...rest}>
    {children}
    <Keys keys={keys} isOnAccent={rest.look === "primary"} />
  </Button>
);

interface CardDiffProps {
  readonly item: { readonly diff: string; readonly isDiffCut?: boolean };
  readonly isWide: boolean;
  /** Without the room of a dialog. */
  readonly height?: string;
}

export function CardDiff({ item, isWide, height = "max-h-80" }: CardDiffProps) {
  const theme = useShownTheme();
  return (
    <div className={cx("overflow-auto rounded-md border", !isWide && height)}>
      <DiffView diff={item.diff} theme={theme} layout={isWide ? "split" : "unified"} />
      {item.isDiffCut && (
        <p className="p-2 text-sm text-warning">Diff too long. Only the first part is shown.</p>
      )}
    </div>
  );
}

interface RepairHintProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSend: () => void;
}

/** It grows with its text, so that the evidence keeps the room. */
export const RepairHint = ({ value, onChange, onSend }: RepairHintProps) => (
  <TextArea
    className="max-h-40 min-h-8! basis-full field-sizing-content"
    rows={1}
    aria-label="Instructions for the repair"
    placeholder="Instructions for the repair (optional)"
    value={value}
    onChange={(event) => onChange(event.target.value)}
    onSend={onSend}
  />
);

/** Words that go with an answer; none for an empty text. */
export const withText = (text: string): { readonly words?: string } =>
  text.trim() === "" ? {} : { words: text.trim() };

interface CardFrameProps {
  readonly item: InboxItem;
  readonly approve?: {
    readonly label: string;
    readonly decision: () => CardAnswer;
    readonly disabled?: boolean;
    /** The key that is shown, where one that works everywhere does the same. */
    readonly keys?: string;
  };
  /** `reason`: the user is asked why, and may leave it empty. `confirm`: what is asked before it is done. */
  readonly reject?: { readonly label: string; readonly reason: string | null; readonly confirm?: string };
  /** A button of this kind of card only, before the others. */
  readonly first?: ReactNode;
  /** A button of this kind of card only, after the others. */
  readonly last?: ReactNode;
  readonly children: ReactNode;
}

/** The decisions stay in sight while a long card is read. */
const decisions =
  "sticky bottom-0 z-10 -mx-3 flex flex-col gap-2 rounded-b-lg border-t bg-surface px-3 pt-2.5 pb-3 in-[[role=dialog]]:-bottom-4 in-[[role=dialog]]:bg-raised";

/** Without room for three buttons with their keys, only the help shows the keys. */
const threeInOneRow = "@max-[21.5rem]/card:has-[>button:nth-of-type(3)]:[&_kbd]:hidden";

/** Evidence above, the two decisions below, with the same keys for every kind of card. */
export function CardFrame({ item, approve, reject, first, last, children }: CardFrameProps) {
  const { isBusy, send } = useAnswer(item);
  const [rejecting, setRejecting] = useCardDraft(item, "rejecting", false);
  const asker = useRef<HTMLButtonElement>(null);
  const cancel = (): void => {
    setRejecting(false);
    requestAnimationFrame(() => asker.current?.focus());
  };
  const askReject = async (): Promise<void> => {
    if (!reject) return;
    if (reject.reason !== null) setRejecting(true);
    else if (await isSure(reject)) await send({ kind: "reject", reason: "" });
  };

  return (
    <div className="@container/card flex flex-col gap-3 px-3">
      {children}
      <RepeatedAnswer item={item} />
      {rejecting && reject?.reason != null ? (
        <ReasonForm
          item={item}
          label={reject.label}
          question={reject.reason}
          isBusy={isBusy}
          onCancel={cancel}
          onSend={(reason) => void send({ kind: "reject", reason })}
        />
      ) : (
        (first || approve || reject || last) && (
          <div data-decisions className={cx(decisions, "flex-row flex-wrap items-center", threeInOneRow)}>
            {first}
            {approve && (
              <Button
                look="primary"
                data-decision-key={decisionKeys.approve}
                disabled={isBusy || approve.disabled}
                onClick={() => void send(approve.decision())}
              >
                {approve.label}
                <Keys keys={approve.keys ?? decisionKeys.approve} isOnAccent />
              </Button>
            )}
            {reject && (
              <DecisionButton
                ref={asker}
                keys={decisionKeys.reject}
                disabled={isBusy}
                onClick={() => void askReject()}
              >
                {reject.label}
              </DecisionButton>
            )}
            {last}
          </div>
        )
      )}
    </div>
  );
}

/**
 * State of one field of a card that outlives the card's place on screen: a card unmounts when another tab or its large form
 * is shown. It belongs to what was shown: a card that the host has replaced (another nonce) starts empty.
 */
export const useCardDraft = <Value,>(
  { id, nonce }: Pick<InboxItem, "id" | "nonce">,
  field: string,
  initial: Value,
): ReturnType<typeof useDraft<Value>> => useDraft(`card ${id}\n${nonce}\n${field}`, initial);

/** A card that keeps coming back after the same answer says so. */
function RepeatedAnswer({ item }: { readonly item: InboxItem }) {
  const text = repeatText(item);
  return text === null ? null : (
    <p className="text-sm text-pretty text-warning" role="status">
      {text} Try another option below.
    </p>
  );
}

/** Whether a rejection without a reason is meant, where that has to be asked. */
const isSure = async ({ label, confirm: body }: NonNullable<CardFrameProps["reject"]>): Promise<boolean> =>
  body === undefined || (await confirm({ title: `${label}?`, body, action: label, danger: true }));

interface ReasonFormProps {
  readonly item: InboxItem;
  readonly label: string;
  readonly question: string;
  readonly isBusy: boolean;
  /** Default: it may be left empty. */
  readonly isRequired?: boolean;
  readonly onCancel: () => void;
  readonly onSend: (reason: string) => void;
}

/** Why, in a user's own words or, where it is not required, in none. */
export function ReasonForm({
  item,
  label,
  question,
  isBusy,
  isRequired = false,
  onCancel,
  onSend,
}: ReasonFormProps) {
  const [reason, setReason] = useCardDraft(item, "reason", "");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const isMissing = isRequired && reason.trim() === "";
  const send = (): void => {
    if (!isMissing) onSend(reason.trim());
  };
  return (
    <form
      ref={form}
      className={decisions}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        autoFocus
        rows={3}
        aria-label={question}
        placeholder={question}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onSend={send}
        onCancel={onCancel}
      />
      <div className="flex gap-2">
        <Button type="submit" look="danger" disabled={isBusy || isMissing}>
          {label}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

/** Ends a task from its card, after a question: the run continues without it. */
export function GiveUpTask({
  item,
  worker,
}: {
  readonly item: ItemOf<"merge-request" | "trouble">;
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
