import { memo, useMemo } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import { layOutRun } from "#shared/graph/run-canvas/layout.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { client } from "../../client.ts";
import { runFacts } from "../../graph/run-canvas/run-canvas-input.ts";
import { laneColour } from "../../kit/avatar.tsx";
import { useLoaded } from "../../state/use-loaded.ts";

interface Ending {
  readonly run: RunView;
  readonly timeline: RunTimeline;
}

/** What a run that is over came to does not change: each is asked for once. */
const endings = new Map<string, Promise<Ending>>();
const maxEntries = 200;

function endingOf(run: string, moment: string): Promise<Ending> {
  const key = `${run} ${moment}`;
  const known = endings.get(key);
  if (known) return known;
  const asked = client.runs.ending({ run });
  asked.catch(() => endings.delete(key));
  endings.set(key, asked);
  const [oldest] = endings.keys();
  if (endings.size > maxEntries && oldest !== undefined) endings.delete(oldest);
  return asked;
}

const room = { width: 1_000, height: 600 };
const scoreSize = { width: 120, height: 36 } as const;

interface RunScoreProps {
  readonly run: string;
  /** Another one where it went on since. */
  readonly moment: string;
}

/** The canvas of a run, so small that only its lanes, beads and merges are left of it. */
export const RunScore = memo(function RunScore({ run, moment }: RunScoreProps) {
  const loaded = useLoaded(`${run} ${moment}`, () => endingOf(run, moment));
  const ending = loaded.kind === "loaded" ? loaded.value : null;
  const canvas = useMemo(() => ending && scoreOf(ending), [ending]);
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${scoreSize.width} ${scoreSize.height}`}
      className="shrink-0 rounded-sm bg-sunken"
      style={scoreSize}
    >
      {canvas && <Lanes canvas={canvas} />}
    </svg>
  );
});

function scoreOf({ run, timeline }: Ending): RunCanvas | null {
  const facts = runFacts(run, [], new Map());
  if (!facts) return null;
  const now = timeline.endedAt ?? Date.now();
  return layOutRun({ ...facts, timeline, now, room, window: null, isFollowingNow: true, folded: {} });
}

const edge = 5;

function Lanes({ canvas }: { readonly canvas: RunCanvas }) {
  const { start, now } = canvas.columns;
  const x = (at: number): number =>
    edge + ((at - start) / Math.max(1, now - start)) * (scoreSize.width - 2 * edge);
  const step = (scoreSize.height - 2 * edge) / Math.max(1, canvas.rows.length);
  const lane = (nth: number): number => edge + (nth + 1) * step;
  const radius = Math.max(0.7, Math.min(1.6, step / 3));
  return (
    <>
      <path d={`M${edge} ${edge}H${scoreSize.width - edge}`} stroke="var(--text)" strokeWidth={1.2} />
      {canvas.rows.map(({ id, worker, line, mergedAt, marks }, nth) => {
        if (!line) return null;
        const colour = laneColour(worker);
        const [from, to, y] = [x(line.from), x(line.to), lane(nth)];
        return (
          <g key={id} stroke={colour} fill="none" strokeWidth={1}>
            <path
              d={`M${Math.max(edge, from - 4)} ${edge}L${from} ${y}H${to}${mergedAt === null ? "" : `L${Math.min(scoreSize.width - edge, x(mergedAt) + 4)} ${edge}`}`}
            />
            {marks.map((mark) => (
              <circle key={mark.id} cx={x(mark.x)} cy={y} r={radius} fill={colour} stroke="none" />
            ))}
          </g>
        );
      })}
    </>
  );
}
