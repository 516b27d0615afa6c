import { Check, ChevronDown, ChevronUp, Eye, ListChecks, Pause, Play, SkipForward, X } from "lucide-react";
import { useMemo } from "react";
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import { type TourStep, type TourView, tourOf, tourSteps } from "#shared/domain/rehearsal/tour.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Keys } from "../../kit/keys.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useHost } from "../../state/host-store.ts";
import { prefer, usePreference } from "../../state/preferences.ts";
import { useReplay } from "../../state/replay-store.ts";
import { openDialog, useSelection } from "../../state/selection-store.ts";
import {
  continueRehearsal,
  goToNextEvent,
  leaveTour,
  pointToPlace,
  setTempo,
  tourFacts,
} from "./tour-actions.ts";

const paces: readonly { readonly value: Tempo; readonly label: string }[] = [
  { value: "held", label: "Pause" },
  { value: "slow", label: "Slow" },
  { value: "usual", label: "Normal" },
  { value: "fast", label: "Fast" },
];

/** Below the graph, over nothing: what a rehearsal shows just now, and what to try. */
export function TourStrip() {
  const kept = usePreference("tour");
  const isReplay = useReplay(({ view }) => view !== null);
  const isPageOpen = useSelection(({ page }) => page !== null);
  const app = useHost((state) => state.app);
  const run = useHost((state) => state.run);
  const inbox = useHost((state) => state.inbox);
  const timeline = useHost((state) => state.timeline);
  const tour = useMemo(() => {
    const facts = tourFacts({ ...useHost.getState(), app, run, inbox, timeline });
    return facts && { tour: tourOf(facts), steps: tourSteps(facts.rehearsal) };
  }, [app, run, inbox, timeline]);
  if (tour === null || isReplay || kept === "left") return null;
  const isOver = run?.endedAt !== null;
  return kept === "small" || isPageOpen ? <Small {...tour} /> : <Open {...tour} isOver={isOver} />;
}

interface TourProps {
  readonly tour: TourView;
  readonly steps: readonly TourStep[];
}

const titleOf = ({ tour, steps }: TourProps): string =>
  steps.find(({ id }) => id === tour.current)?.title ?? "";

/** Which of how many. */
const Count = ({ tour, steps }: TourProps) => (
  <span className="text-xs text-muted tabular-nums">
    {steps.findIndex(({ id }) => id === tour.current) + 1} of {steps.length}
  </span>
);

/** In place of what the tour says: nothing moves, and why. */
const Paused = ({ words }: { readonly words: string }) => (
  <span className="font-medium text-warning">
    <Pause size={13} className="mr-1 inline-block align-[-2px]" aria-hidden />
    {words}
  </span>
);

const Continue = () => (
  <Button size="sm" look="primary" onClick={continueRehearsal}>
    <Play size={13} aria-hidden /> Continue
  </Button>
);

function Small({ tour, steps }: TourProps) {
  return (
    <aside
      aria-label="Tour"
      data-tour="small"
      className="flex h-8 shrink-0 items-center gap-2 border-t bg-accent-soft px-3"
    >
      <Count {...{ tour, steps }} />
      <span className="min-w-0 flex-1 truncate text-sm">
        {tour.paused === null ? (tour.next ?? tour.says) : <Paused words={tour.paused} />}
      </span>
      {tour.paused !== null && <Continue />}
      <ShowMe tour={tour} />
      <IconButton
        label="Open the tour"
        icon={<ChevronUp size={14} />}
        className="size-6"
        onClick={() => prefer({ tour: "open" })}
      />
      <Leave />
    </aside>
  );
}

function Open({ tour, steps, isOver }: TourProps & { readonly isOver: boolean }) {
  return (
    <aside
      aria-label="Tour"
      data-tour="open"
      className="flex shrink-0 items-start gap-4 border-t bg-accent-soft px-3 py-2 max-[1100px]:gap-3"
    >
      <div className="min-w-0 flex-1" aria-live="polite">
        <p className="flex items-baseline gap-2">
          <Count {...{ tour, steps }} />
          <b className="font-semibold">{titleOf({ tour, steps })}</b>
          {tour.paused !== null && (
            <span className="min-w-0 truncate text-sm">
              <Paused words={tour.paused} />
            </span>
          )}
        </p>
        <p className="line-clamp-2 min-h-[2lh] text-sm">
          {tour.says} {tour.next !== null && <b className="font-medium">{tour.next}</b>}
        </p>
      </div>
      <div className="flex shrink-0 flex-col items-end gap-1.5">
        <span className="flex items-center gap-1.5">
          {tour.paused !== null && <Continue />}
          <ShowMe tour={tour} />
          {isOver ? (
            <Button size="sm" onClick={() => openDialog("open-repository")}>
              Open a repository…
            </Button>
          ) : (
            <Button size="sm" onClick={goToNextEvent} title="Skip to the next event and pause">
              <SkipForward size={13} aria-hidden /> Next event <Keys keys="alt+j" />
            </Button>
          )}
          <IconButton
            label="Collapse the tour"
            icon={<ChevronDown size={14} />}
            className="size-6"
            onClick={() => prefer({ tour: "small" })}
          />
          <Leave />
        </span>
        {isOver ? <Steps {...{ tour, steps }} /> : <Pace {...{ tour, steps }} />}
      </div>
    </aside>
  );
}

const ShowMe = ({ tour }: Pick<TourProps, "tour">) =>
  tour.place === null ? null : (
    <Button size="sm" look={tour.paused === null ? "primary" : "secondary"} onClick={pointToPlace}>
      <Eye size={13} aria-hidden /> Show me <Keys keys="alt+s" />
    </Button>
  );

const Leave = () => (
  <IconButton label="Leave the tour" icon={<X size={14} />} className="size-6" onClick={leaveTour} />
);

/** The words alone: commands, jj and checks take the time that they take. */
function Pace({ tour, steps }: TourProps) {
  const tempo = useHost((state) => state.app?.rehearsalTempo ?? "usual");
  return (
    <span className="flex items-center gap-2">
      <Steps {...{ tour, steps }} />
      <span className="text-xs text-muted max-[1200px]:sr-only">Speed of model responses</span>
      <Segmented label="Speed of model responses" value={tempo} options={paces} onChange={setTempo} />
    </span>
  );
}

/** All of them, with those that are done. */
function Steps({ tour, steps }: TourProps) {
  const { done, current } = tour;
  return (
    <ol aria-label="Steps of the tour" className="flex items-center gap-1">
      <ListChecks size={13} className="mr-0.5 text-muted" aria-hidden />
      {steps.map(({ id, title }) => {
        const isDone = done.includes(id);
        return (
          <li
            key={id}
            title={`${title}${isDone ? ": done" : id === current ? ": now" : ""}`}
            aria-current={id === current ? "step" : undefined}
            className={cx(
              "grid size-3.5 place-items-center rounded-full border text-[0]",
              isDone
                ? "border-success bg-success text-surface"
                : id === current
                  ? "border-accent bg-accent"
                  : "border-line-strong bg-surface",
            )}
          >
            {isDone && <Check size={10} aria-hidden />}
            <span className="sr-only">{`${title}${isDone ? ", done" : id === current ? ", now" : ""}`}</span>
          </li>
        );
      })}
    </ol>
  );
}
