import { ChevronDown, ChevronRight, Maximize2 } from "lucide-react";
import { useState } from "react";
import { cardName } from "#shared/contract/card-name.ts";
import { answerCommand } from "#shared/contract/cards/answer-options.ts";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { rootOf, runsOf } from "../../state/runs-beside.ts";
import { type CardBody, type CardBodyProps, cardBodies } from "./card-bodies.ts";

interface InboxCardProps {
  readonly item: InboxItem;
  readonly open: boolean;
  readonly onOpen: () => void;
}

/** Whose card it is, where several runs go on. */
function RunBadge({ run: id }: { readonly run: string }) {
  const root = useHost((state) => {
    const asking = state.otherRuns.length === 0 ? undefined : runsOf(state).find((one) => one.id === id);
    return asking === undefined ? null : rootOf(asking);
  });
  return root === null ? null : <Badge tone="neutral">{root}</Badge>;
}

export function InboxCard({ item, open, onOpen }: InboxCardProps) {
  const [large, setLarge] = useState(false);
  const kind = kindOfCard(item);
  const from = kind.from(item);
  const headline = kind.headline(item);
  return (
    <article
      aria-label={`${kind.title}: ${headline}`}
      data-inbox-kind={item.kind}
      className={
        open
          ? "rounded-lg border border-line-strong bg-surface shadow-[0_1px_3px_rgb(0_0_0/0.06)]"
          : "rounded-lg border bg-surface"
      }
    >
      <header className="flex items-start gap-2 px-3 py-2">
        <h3 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={open}
            onClick={onOpen}
            className={cx("flex w-full min-w-0 items-center gap-2 rounded-sm text-left", open && "flex-wrap")}
          >
            {open ? (
              <ChevronDown size={14} className="shrink-0 text-faint" aria-hidden />
            ) : (
              <ChevronRight size={14} className="shrink-0 text-faint" aria-hidden />
            )}
            <Badge tone={kind.tone}>{kind.title}</Badge>
            <RunBadge run={item.run} />
            {from && <Avatar name={from} />}
            <span
              // What is decided on is read whole; a closed card is one line of a list.
              className={cx(
                "min-w-0 flex-1 font-medium",
                open ? "order-last basis-full text-pretty break-words" : "truncate",
              )}
              {...(open ? {} : { title: shownText(headline) })}
              dir="auto"
            >
              {shownText(headline)}
            </span>
          </button>
        </h3>
        <RelativeTime at={item.at} className="shrink-0 text-xs text-faint" />
        {open && (
          <IconButton
            label="Open in a dialog"
            className="size-6"
            icon={<Maximize2 size={13} />}
            onClick={() => setLarge(true)}
          />
        )}
      </header>
      {open && !large && <CardContent item={item} />}
      {open && !large && <InTerminal item={item} />}
      {large && (
        <Dialog
          open
          onClose={() => setLarge(false)}
          title={headline}
          description={kind.title}
          width="w-[960px]"
        >
          <div className="-mx-3 h-full">
            <CardContent item={item} isWide />
          </div>
        </Dialog>
      )}
    </article>
  );
}

/** The same decision from a terminal, for whoever works there. */
function InTerminal({ item }: { readonly item: InboxItem }) {
  const isOpen = useHost((state) => state.inbox.some(({ id }) => id === item.id));
  if (!isOpen) return null;
  const answers = kindOfCard(item).options(item);
  const words = answers.map(({ typed, does }) => `${typed}: ${does}`).join("\n");
  const first = answers[0];
  return first === undefined ? null : (
    <p className="truncate px-3 pb-2 text-xs text-faint" title={words}>
      In a terminal: <code className="font-mono">{answerCommand(cardName(item), first)}</code>
    </p>
  );
}

function CardContent({ item, isWide = false }: CardBodyProps<InboxItem>) {
  const Body: CardBody<InboxItem>["Body"] = cardBodies[item.kind];
  return <Body item={item} isWide={isWide} />;
}
