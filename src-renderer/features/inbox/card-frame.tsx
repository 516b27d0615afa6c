import { useEffect, useRef, useState } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import { repeatText } from "#shared/contract/cards/repeated-answer.ts";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { confirm } from "../../kit/confirm.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { answer } from "../../state/answer.ts";
import { useCardDraft } from "./drafts.ts";

interface CardFrameProps {
  readonly item: InboxItem;
  readonly approve?: {
    readonly label: string;
    readonly decision: () => CardAnswer;
    readonly disabled?: boolean;
    /** The key that is shown, where one that works everywhere does the same. */
    readonly keys?: string;
  };
  /** `reason`: the person is asked why, and may leave it empty. `confirm`: what is asked before it is done. */
  readonly reject?: { readonly label: string; readonly reason: string | null; readonly confirm?: string };
  /** A button of this kind of card only, before the others. */
  readonly first?: React.ReactNode;
  /** A button of this kind of card only, after the others. */
  readonly last?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** The decisions stay in sight while a long card is read. */
const decisions =
  "sticky bottom-0 z-10 -mx-3 flex flex-col gap-2 rounded-b-lg border-t bg-surface px-3 pt-2.5 pb-3 in-[[role=dialog]]:-bottom-4 in-[[role=dialog]]:bg-raised";

/** Without room for three buttons with their keys, only the help shows the keys. */
const threeInOneRow = "@max-[21.5rem]/card:has-[>button:nth-of-type(3)]:[&_kbd]:hidden";

/** Evidence above, the two decisions below, with the same keys for every kind of card. */
export function CardFrame({ item, approve, reject, first, last, children }: CardFrameProps) {
  const [busy, setBusy] = useState(false);
  const [rejecting, setRejecting] = useCardDraft(item, "rejecting", false);
  const asker = useRef<HTMLButtonElement>(null);

  const send = async (decision: CardAnswer): Promise<void> => {
    if (busy) return;
    setBusy(true);
    await answer(item, decision);
    setBusy(false);
  };
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
          busy={busy}
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
                disabled={busy || approve.disabled}
                onClick={() => void send(approve.decision())}
              >
                {approve.label}
                <Keys keys={approve.keys ?? decisionKeys.approve} isOnAccent />
              </Button>
            )}
            {reject && (
              <Button
                ref={asker}
                data-decision-key={decisionKeys.reject}
                disabled={busy}
                onClick={() => void askReject()}
              >
                {reject.label}
                <Keys keys={decisionKeys.reject} />
              </Button>
            )}
            {last}
          </div>
        )
      )}
    </div>
  );
}

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
  readonly busy: boolean;
  /** Default: it may be left empty. */
  readonly isRequired?: boolean;
  readonly onCancel: () => void;
  readonly onSend: (reason: string) => void;
}

/** Why, in a person's own words or, where it is not required, in none. */
export function ReasonForm({
  item,
  label,
  question,
  busy,
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
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            // In the large form Escape would close the dialog as well.
            event.stopPropagation();
            onCancel();
          }
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
        }}
      />
      <div className="flex gap-2">
        <Button type="submit" look="danger" disabled={busy || isMissing}>
          {label}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
