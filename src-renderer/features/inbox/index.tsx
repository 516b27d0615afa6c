import { FileText, Flag } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { takeKey } from "../../kit/key-table.ts";
import { useHost } from "../../state/host-store.ts";
import { showRun } from "../../state/other-runs.ts";
import { lookAtCard } from "../../state/people.ts";
import { usePlanDrafts } from "../../state/plan-draft.ts";
import { useSelection } from "../../state/selection-store.ts";
import { AgentsTable } from "../inspector/agents-table.tsx";
import { LandedLines } from "../inspector/push-line.tsx";
import { showPlan } from "../plan/plan-actions.ts";
import { runLine } from "../run/stages.ts";
import { openReport } from "../runs/runs-store.ts";
import { inboxKeys } from "./feature.ts";
import { InboxCard } from "./inbox-card.tsx";

/** Every decision that waits for the user, what holds up most first; one card is open at a time. */
export function InboxPanel() {
  const items = useHost((state) => state.inbox);
  const run = useHost((state) => state.run);
  const [chosen, setChosen] = useState<string | null>(null);
  const plan = usePlanDrafts((state) => state.chosen);
  // The plan that was chosen below the graph is the one whose card is open.
  useEffect(() => {
    if (plan !== null) setChosen(plan);
  }, [plan]);
  const wanted = useSelection((state) => state.requestedCard);
  useEffect(() => {
    if (wanted !== null) setChosen(wanted);
  }, [wanted]);
  const list = useRef<HTMLUListElement>(null);
  // What is open stays open while it is there: a card that comes closes none that is being read.
  const [last, setLast] = useState<string | null>(null);
  const named = (id: string | null) => items.find((item) => item.id === id);
  const open = (named(chosen) ?? named(last) ?? firstWaiting(items))?.id ?? null;
  if (open !== last) setLast(open);
  const keep = useKeptFocus(items);

  if (items.length === 0)
    return (
      <section
        aria-label="Inbox"
        className="relative h-full overflow-y-auto outline-none"
        tabIndex={-1}
        {...keep}
      >
        {run ? (
          <AtRest run={run} />
        ) : (
          <EmptyState icon={<Flag size={20} />} title="Nothing is waiting for you">
            Plans, questions and decisions appear here when they need you.
          </EmptyState>
        )}
      </section>
    );

  /** A plan is read on its card and on the graph, so both show the same one. */
  const choose = (item: InboxItem): void => {
    setChosen(item.id);
    // What the card speaks of is on screen beside it.
    showRun(item.run);
    if (item.kind === "plan") showPlan(item.id);
  };
  const move = (by: number): void => {
    const index = items.findIndex((item) => item.id === open);
    const next = items[Math.min(items.length - 1, Math.max(0, index + by))];
    if (!next) return;
    choose(next);
    list.current?.querySelector<HTMLElement>(`[data-inbox-item="${CSS.escape(next.id)}"] h3 button`)?.focus();
  };

  return (
    <section
      aria-label="Inbox"
      className="relative h-full overflow-y-auto outline-none"
      tabIndex={-1}
      {...keep}
    >
      <ul
        ref={list}
        className="flex flex-col gap-2 p-2.5"
        onKeyDown={(event) => {
          if (!(event.target instanceof Element) || event.target.closest("[role=menu]")) return;
          const large = event.target.closest("[role=dialog]");
          const card = large ?? event.target.closest("[data-inbox-item]");
          takeKey(inboxKeys, event, { move: large ? null : move, card });
        }}
      >
        {items.map((item) => (
          <li
            key={item.id}
            data-inbox-item={item.id}
            onFocus={() => lookAtCard(item.id)}
            onBlur={() => lookAtCard(null)}
          >
            <InboxCard item={item} open={item.id === open} onOpen={() => choose(item)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** While nothing waits for the user: who works on what, and what they wait for. */
function AtRest({ run }: { readonly run: RunView }) {
  return (
    <div className="flex flex-col gap-3 p-3">
      <p className="text-sm text-muted">
        <span className="font-medium text-text">{runLine(run)}</span> · nothing is waiting for you
      </p>
      {run.endedAt !== null && (
        <Button size="sm" look="primary" className="self-start" onClick={() => openReport(run.id)}>
          <FileText size={13} aria-hidden /> View report
        </Button>
      )}
      <LandedLines run={run} />
      <AgentsTable run={run} />
    </div>
  );
}

/** The oldest card that blocks an agent, else the oldest one. */
const firstWaiting = (items: readonly InboxItem[]): InboxItem | undefined =>
  items.find((item) => kindOfCard(item).isInert !== true) ?? items[0];

/** An answered card removes the focused button; the focus moves to the next card. */
function useKeptFocus(items: readonly InboxItem[]) {
  const held = useRef(false);
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list of cards is what may take the focus away
  useEffect(() => {
    if (!held.current || document.activeElement !== document.body) return;
    const next = panel.current?.querySelector<HTMLElement>("h3 button[aria-expanded=true]");
    (next ?? panel.current)?.focus();
  }, [items]);
  return {
    ref: panel,
    onFocus: () => {
      held.current = true;
    },
    onBlur: (event: React.FocusEvent) => {
      // A removed element is no longer connected; what a user leaves is.
      if (event.target.isConnected) held.current = false;
    },
  };
}
