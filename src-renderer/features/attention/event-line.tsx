import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import { useEffect, useState } from "react";
import { create } from "zustand";
import { cx } from "../../kit/class-names.ts";
import { focusWhenLost } from "../../kit/focus-soon.ts";
import { frontElement, goToCard, goToRow, goToVotes } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { goToCardIn, goToRunIn } from "../../state/repositories.ts";
import { showRun } from "../../state/runs-beside.ts";
import { inspectRun, isRightShown, useSelection } from "../../state/selection-store.ts";
import { newsElsewhere, type Watched } from "./news.ts";
import { eventsBetween, eventsElsewhere, grouped, isAlike, type RunEvent } from "./run-events.ts";

const shownMs = 9_000;
const kept = 12;

const useEvents = create<{ readonly events: readonly RunEvent[] }>(() => ({ events: [] }));

const dismiss = (gone: (event: RunEvent) => boolean): void =>
  useEvents.setState(({ events }) => ({ events: events.filter((event) => !gone(event)) }));

/** A card that is open on screen needs no notification. */
const isSeen = ({ lead }: RunEvent): boolean => {
  const selection = useSelection.getState();
  const isInboxShown = isRightShown(selection) && selection.rightTab === "inbox" && selection.page === null;
  return lead.kind === "card" && isInboxShown;
};

/** Collects what happens from now on. */
export function followEvents(): void {
  let before: Watched | null = null;
  let openBefore = useHost.getState().open;
  useHost.subscribe(({ repository, run, otherRuns, inbox, open }) => {
    const elsewhere = eventsElsewhere(newsElsewhere(openBefore, open, repository?.path ?? null));
    openBefore = open;
    // What a recording shows happened long ago.
    if (isReplaying()) {
      before = null;
      return;
    }
    const now: Watched = {
      ...{ path: repository?.path ?? null, run, inbox },
      otherRuns: otherRuns.map((one) => one.run),
    };
    const events = [...eventsBetween(before, now), ...elsewhere];
    if (before?.path !== now.path) useEvents.setState({ events: [] });
    before = now;
    if (events.length === 0 || !preferences().showEvents) return;
    // The inbox opens at the same moment, unless the user reads something there.
    setTimeout(() => {
      const fresh = events.filter((event) => !isSeen(event));
      if (fresh.length > 0)
        useEvents.setState((state) => ({ events: [...state.events, ...fresh].slice(-kept) }));
    });
  });
}

const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert } as const;
const looks: Readonly<Record<RunEvent["tone"], string>> = {
  info: "bg-info-soft text-info",
  success: "bg-success-soft text-success",
  warning: "bg-warning-soft text-warning",
  danger: "bg-danger-soft text-danger",
};

function follow({ lead, run }: RunEvent): void {
  if (lead.kind !== "elsewhere") showRun(run);
  if (lead.kind === "card") goToCard(lead.card);
  else if (lead.kind === "elsewhere")
    void (lead.card === null ? goToRunIn(lead.path, lead.run) : goToCardIn(lead.path, lead.card));
  else if (lead.kind === "change") goToRow(lead.changeId);
  else if (lead.kind === "votes") goToVotes();
  else inspectRun();
}

/**
 * The middle of the lower edge: what has just happened, for a while. Nothing else moves for it, no control lies below it, and
 * neither the focus nor the selection goes there. It waits as long as the pointer or the focus is on it.
 */
export function EventLine() {
  const events = useEvents((state) => state.events);
  const [isHovered, setHeld] = useState(false);
  const groups = grouped(events);
  const [first] = groups;
  const others = events.length - (first?.count ?? 0);
  const newest = events.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new one begins the time anew
  useEffect(() => {
    if (events.length === 0 || isHovered) return;
    const timer = setTimeout(() => dismiss(() => true), shownMs);
    return () => clearTimeout(timer);
  }, [newest, isHovered]);
  const Icon = icons[first?.tone ?? "info"];
  return (
    <section
      aria-label="Events"
      aria-live="polite"
      className={cx(
        "pointer-events-none absolute inset-y-0.5 left-1/2 flex max-w-[46%] -translate-x-1/2 items-center",
        // What it lies on ends a little before it.
        first && "bg-canvas px-2",
      )}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {first && (
        <span
          className={cx(
            "appear pointer-events-auto flex h-6 min-w-0 items-center rounded-md bg-canvas text-sm font-medium",
            looks[first.tone],
          )}
        >
          <button
            type="button"
            title={groups.map(({ words }) => words).join("\n")}
            onClick={() => {
              dismiss((event) => isAlike(event, first.newest));
              follow(first.newest);
            }}
            className="flex h-6 min-w-0 items-center gap-1.5 rounded-md pl-2 hover:underline"
          >
            <Icon size={13} className="shrink-0" aria-hidden />
            <span dir="auto" className="truncate">
              {first.words}
            </span>
            {others > 0 && (
              <span className="shrink-0">
                · {others} other {others === 1 ? "event" : "events"}
              </span>
            )}
          </button>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => {
              dismiss(() => true);
              focusWhenLost(frontElement);
            }}
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-md hover:bg-hover"
          >
            <X size={12} aria-hidden />
          </button>
        </span>
      )}
    </section>
  );
}
