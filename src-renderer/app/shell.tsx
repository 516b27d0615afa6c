import { PanelBottom, PanelLeft, PanelRight, Settings } from "lucide-react";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from "react";
import { InboxPanel } from "../features/inbox/index.tsx";
import { InspectorPanel } from "../features/inspector/index.tsx";
import { QueuePanel } from "../features/queue/queue-panel.tsx";
import { useIsQueueEmpty } from "../features/queue/queue-store.ts";
import { RunHeader } from "../features/run/index.tsx";
import { OperationsPanel } from "../features/time/operations-panel.tsx";
import { TimeBar } from "../features/time/time-bar.tsx";
import { TourStrip } from "../features/tour/tour-strip.tsx";
import { GraphPanel } from "../graph/graph-panel.tsx";
import { useIsPlanCanvas } from "../graph/plan-canvas/use-plan-canvas.ts";
import { useIsRunCanvas } from "../graph/run-canvas/run-canvas-input.ts";
import { IconButton } from "../kit/button.tsx";
import { cx } from "../kit/class-names.ts";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { isTyping } from "../kit/key-table.ts";
import { useCanAnswer } from "../state/answer.ts";
import { frontElement } from "../state/go-to.ts";
import { useHost } from "../state/host-store.ts";
import { isReplaying, useReplay } from "../state/replay-store.ts";
import {
  chooseTab,
  isRightShown,
  openDialog,
  type RightTab,
  setNarrow,
  togglePanel,
  useSelection,
} from "../state/selection-store.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { PagePanel, useShownPage } from "./page-panel.tsx";
import type { PaneLimits } from "./panes.tsx";
import { Resizer, usePaneSize } from "./panes.tsx";

const queueLimits: PaneLimits = { name: "queue", initial: 236, least: 168, most: 420 };
const rightLimits: PaneLimits = { name: "right", initial: 400, least: 288, most: 760 };
const timeLimits: PaneLimits = { name: "time", initial: 200, least: 96, most: 480 };

/** The one screen of an open repository: header, queue, graph, inspector or inbox, operations. */
export function Shell() {
  const { showQueue: isQueueWanted, isNarrow, showTime } = useSelection();
  const showRight = useSelection(isRightShown);
  useNarrowness();
  // The canvas of a run, and of its plan before it, has the queue as its margin.
  const isQueueOnCanvas = [useIsRunCanvas(), useIsPlanCanvas()].includes(true);
  const showQueue = !isQueueOnCanvas && isQueueWanted;
  const [queueWidth, setQueueWidth] = usePaneSize(queueLimits);
  const [rightWidth, setRightWidth] = usePaneSize(rightLimits);
  const page = useShownPage();
  const [isQueueEmpty, isReplay] = [useIsQueueEmpty(), useReplay((state) => state.view !== null)];
  const name = useHost((state) => state.repository?.name ?? "Hox");
  return (
    <div className="@container/shell flex h-full flex-col bg-surface">
      <ErrorBoundary name="The header">
        <RunHeader />
      </ErrorBoundary>
      <main className="relative min-h-0 flex-1">
        <div className="relative flex h-full" inert={page !== null}>
          <h1 className="sr-only">{name}</h1>
          {showQueue && (
            <>
              <section
                aria-label="Queue"
                className="min-w-0 shrink-0 overflow-hidden bg-canvas"
                style={{ width: `min(${isQueueEmpty ? queueLimits.least : queueWidth}px, 24vw)` }}
              >
                <ErrorBoundary name="The queue">
                  <QueuePanel />
                </ErrorBoundary>
              </section>
              <Resizer
                label="Width of the queue"
                limits={queueLimits}
                size={queueWidth}
                onSize={setQueueWidth}
                edge="right"
              />
            </>
          )}
          <section aria-label="Graph panel" className="isolate min-w-0 flex-1 overflow-hidden">
            <ErrorBoundary name="The graph">
              <GraphPanel />
            </ErrorBoundary>
          </section>
          {showRight && (
            // biome-ignore lint/a11y/noStaticElementInteractions: a key that is heard wherever the focus is in it
            <div
              className={cx(
                "flex shrink-0 bg-surface",
                isNarrow && "appear notice-end absolute inset-y-0 right-0 z-20 shadow-pop",
              )}
              onKeyDown={isNarrow ? closeDrawer : undefined}
            >
              <Resizer
                label="Width of the inspector"
                limits={rightLimits}
                size={rightWidth}
                onSize={setRightWidth}
                edge="left"
              />
              <RightPane width={rightWidth} />
            </div>
          )}
        </div>
        {page && <PagePanel page={page} />}
      </main>
      {showTime && <OperationsPane />}
      {/* Beside a page that is no part of the run its time leads nowhere. */}
      {(page === null || isReplay) && <TimeBar />}
      <TourStrip />
      <StatusLine />
    </div>
  );
}

const narrow = "(max-width: 860px)";

/** Tells the selection whether the window is narrow. */
function useNarrowness(): void {
  useLayoutEffect(() => {
    const query = matchMedia(narrow);
    const tell = (): void => setNarrow(query.matches);
    tell();
    query.addEventListener("change", tell);
    return () => query.removeEventListener("change", tell);
  }, []);
}

/** Escape leaves the drawer, where nothing in it takes the key for itself. */
function closeDrawer(event: KeyboardEvent<HTMLElement>): void {
  // A menu or dialog that was opened from it is no part of it on the page.
  const isInside = event.target instanceof Node && event.currentTarget.contains(event.target);
  if (event.key !== "Escape" || event.defaultPrevented || !isInside || isTyping(event.target)) return;
  event.preventDefault();
  togglePanel("showRight");
  focusWhenLost(frontElement);
}

/** Below everything, as high as it was drawn. */
function OperationsPane() {
  const [height, setHeight] = usePaneSize(timeLimits);
  return (
    <section aria-label="Operations" className="flex shrink-0 flex-col bg-canvas">
      <Resizer
        label="Height of the operations"
        limits={timeLimits}
        size={height}
        onSize={setHeight}
        edge="top"
      />
      <div className="overflow-hidden" style={{ height: `min(${height}px, 45vh)` }}>
        <ErrorBoundary name="The operations">
          <OperationsPanel />
        </ErrorBoundary>
      </div>
    </section>
  );
}

const tabs: readonly { readonly tab: RightTab; readonly label: string }[] = [
  { tab: "inspector", label: "Inspector" },
  { tab: "inbox", label: "Inbox" },
];

function RightPane({ width }: { readonly width: number }) {
  const tab = useSelection((state) => state.rightTab);
  const waiting = useHost((state) => state.inbox.length);
  const canAnswer = useCanAnswer();
  useInboxComesForward();
  return (
    <section
      aria-label="Inspector and inbox"
      className="flex min-w-0 flex-col overflow-hidden"
      style={{ width: `min(${width}px, 34vw)`, minWidth: "min(288px, 100vw)" }}
    >
      <h2 className="sr-only">{tabs.find((one) => one.tab === tab)?.label}</h2>
      <div className="flex h-9 shrink-0 items-center gap-1 border-b px-2">
        <div role="tablist" aria-label="Right side" className="flex items-center gap-1">
          {tabs.map(({ tab: name, label }) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="right-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => chooseTab(name)}
              onKeyDown={(event) => {
                if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
                const other = tabs.find((one) => one.tab !== name);
                if (!other) return;
                chooseTab(other.tab);
                document.querySelector<HTMLElement>(`#tab-${other.tab}`)?.focus();
              }}
              className={cx(
                "inline-flex h-7 items-center gap-1.5 rounded-md px-2",
                tab === name ? "bg-hover font-medium text-text" : "text-muted hover:text-text",
              )}
            >
              {label}
              {name === "inbox" && waiting > 0 && (
                <span className="rounded-full bg-warning-soft px-1.5 text-xs font-medium text-warning">
                  {waiting}
                </span>
              )}
            </button>
          ))}
        </div>
        <span className="flex-1" />
        <IconButton
          label="Hide this panel"
          keys="mod+i"
          icon={<PanelRight size={14} />}
          onClick={() => togglePanel("showRight")}
        />
      </div>
      <div
        role="tabpanel"
        id="right-panel"
        aria-labelledby={`tab-${tab}`}
        className="min-h-0 flex-1 overflow-hidden"
      >
        <ErrorBoundary key={tab} name={tab === "inbox" ? "The inbox" : "The inspector"}>
          {tab === "inbox" ? (
            <fieldset disabled={!canAnswer} className="h-full min-w-0">
              <InboxPanel />
            </fieldset>
          ) : (
            <InspectorPanel />
          )}
        </ErrorBoundary>
      </div>
    </section>
  );
}

/** Opens the inbox for a new decision, unless the user chose what the right side shows. */
function useInboxComesForward(): void {
  const newest = useHost((state) => state.inbox.at(-1)?.id ?? null);
  // What waits already when the window opens is new to the user as well.
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (newest === null || newest === seen.current) return;
    seen.current = newest;
    // Who watches a replay chose what to look at, and so did who reads something there: the header and the tab count it.
    if (isReplaying() || useSelection.getState().isRightChosen) return;
    if (!document.activeElement?.closest("#right-panel")) useSelection.setState({ rightTab: "inbox" });
  }, [newest]);
}

const panelSwitches = [
  { panel: "showQueue", label: "Queue", keys: "mod+b", Icon: PanelLeft },
  { panel: "showTime", label: "Operations", keys: "mod+j", Icon: PanelBottom },
  { panel: "showRight", label: "Inspector", keys: "mod+i", Icon: PanelRight },
] as const;

/** The lower edge: switches of the panels, and what contains the agents. */
function StatusLine() {
  const { showQueue, showTime } = useSelection();
  const showRight = useSelection(isRightShown);
  const app = useHost((state) => state.app);
  const rehearsal = useHost((state) => state.repository?.rehearsal ?? null);
  return (
    <footer className="flex h-7 shrink-0 items-center gap-1 border-t bg-canvas px-2 text-sm text-muted">
      {panelSwitches.map(({ panel, Icon, ...look }) => (
        <IconButton
          key={panel}
          {...look}
          pressed={{ showQueue, showTime, showRight }[panel]}
          icon={<Icon size={14} />}
          onClick={() => togglePanel(panel)}
          className="size-6"
        />
      ))}
      {rehearsal && (
        <span className="ml-2 truncate text-accent-text">
          Rehearsal: model responses are scripted, everything else is real
        </span>
      )}
      <span className="flex-1" />
      {app && (
        <span
          className={cx("truncate", app.isolation.kind === "none" && "text-warning")}
          title={app.isolation.description}
        >
          Sandbox: {app.isolation.summary}
        </span>
      )}
      <IconButton
        label="Settings"
        keys="mod+,"
        icon={<Settings size={14} />}
        onClick={() => openDialog("settings")}
        className="size-6"
      />
    </footer>
  );
}
