import { Check, CheckCheck, Clock } from "lucide-react";
import type { MessageView } from "#shared/contract/views/message.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { cx } from "../../kit/class-names.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { attempt } from "../../state/notice-store.ts";
import { deliveryTo, sentAt } from "./conversation-items.ts";

interface PersonMessageProps {
  readonly message: MessageView;
  readonly worker: string;
  /** It works and could read what waits for it at once. */
  readonly canInterrupt: boolean;
}

/** What a person wrote to a worker or got from it, and how far it came. */
export function PersonMessage({ message, worker, canInterrupt }: PersonMessageProps) {
  const isAnswer = message.from === worker;
  return (
    <li
      aria-label={isAnswer ? `${worker} to you` : `You to ${worker}`}
      className={cx(
        "flex w-fit max-w-[92%] flex-col gap-0.5 rounded-md px-2.5 py-1.5",
        isAnswer ? "border bg-sunken" : "ml-auto bg-accent-soft",
      )}
    >
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto" data-selectable>
        {shownText(message.text)}
      </p>
      <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
        {isAnswer ? `${worker} to you` : "You"} · <RelativeTime at={sentAt(message)} />
        {!isAnswer && <DeliveryLine message={message} worker={worker} canInterrupt={canInterrupt} />}
      </p>
    </li>
  );
}

function DeliveryLine({ message, worker, canInterrupt }: PersonMessageProps) {
  const delivery = deliveryTo(worker, message);
  switch (delivery.kind) {
    case "waits":
      return (
        <>
          <span className="inline-flex items-center gap-1">
            <Clock size={11} aria-hidden />
            not read yet
          </span>
          {canInterrupt && (
            <button
              type="button"
              className="text-accent-text hover:underline"
              onClick={() =>
                void attempt(`${worker} was not interrupted`, () => client.run.interruptWorker({ worker }))
              }
            >
              Interrupt to deliver
            </button>
          )}
        </>
      );
    case "delivered":
      return (
        <span className="inline-flex items-center gap-1" title={new Date(delivery.at).toLocaleString()}>
          <Check size={11} aria-hidden />
          delivered
        </span>
      );
    case "read":
      return (
        <span className="inline-flex items-center gap-1 text-success">
          <CheckCheck size={11} aria-hidden />
          read and acted on
        </span>
      );
  }
}
