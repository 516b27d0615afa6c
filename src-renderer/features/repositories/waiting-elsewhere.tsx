import { Flag } from "lucide-react";
import type { OpenRepositoryView, WaitingCard } from "#shared/contract/views/app.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Menu } from "../../kit/menu.tsx";
import { Tooltip } from "../../kit/tooltip.tsx";
import { useHost } from "../../state/host-store.ts";
import { goToCardIn, nameAmong, openElsewhere } from "../../state/repositories.ts";

const look =
  "inline-flex h-7 max-w-44 shrink-0 items-center gap-1.5 rounded-md bg-warning-soft px-2 text-sm font-medium text-warning tabular-nums";

/** What waits for the user in repositories that are not on screen, and the way there. Nothing where nothing does. */
export function WaitingElsewhere() {
  const open = useHost((state) => state.open);
  const path = useHost((state) => state.repository?.path ?? null);
  const all = openElsewhere({ open, repository: path === null ? null : { path } }).flatMap((view) =>
    view.waiting.map((card) => ({ view, name: nameAmong(view, open), card })),
  );
  const [first] = all;
  if (!first) return null;
  const isOneRepository = all.every(({ view }) => view === first.view);
  const where = isOneRepository ? first.name : "other repositories";
  const shown = (
    <>
      <Flag size={13} className="shrink-0" aria-hidden />
      <span className="truncate">
        {all.length}
        <span className="max-[1100px]:sr-only"> in {where}</span>
      </span>
    </>
  );
  const label = `${all.length} in ${where} waiting for you`;
  if (all.length === 1)
    return (
      <Tooltip text={`${first.name}: ${formatWaitingCard(first.card)}`}>
        <button type="button" aria-label={label} className={look} onClick={() => goTo(first)}>
          {shown}
        </button>
      </Tooltip>
    );
  return (
    <Menu
      entries={all.map((one) => ({
        label: isOneRepository ? formatWaitingCard(one.card) : `${one.name} · ${formatWaitingCard(one.card)}`,
        onSelect: () => goTo(one),
      }))}
      trigger={
        <button type="button" aria-label={label} className={look}>
          {shown}
        </button>
      }
    />
  );
}

const goTo = ({ view, card }: { readonly view: OpenRepositoryView; readonly card: WaitingCard }): void =>
  void goToCardIn(view.path, card.id);

const formatWaitingCard = ({ title, headline }: WaitingCard): string =>
  `${title}: ${shownLine(startOf(headline, 60))}`;
