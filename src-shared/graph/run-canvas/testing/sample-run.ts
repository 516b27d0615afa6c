/** Runs of any size, made from numbers: for tests of the canvas and for its pictures in a bench. */
import type { Priority } from "../../../domain/change-metadata/metadata.ts";
import type { RunTimeline, TimelineTrack, TrackMark } from "../../../domain/timeline/timeline.ts";
import type { CanvasPart, CanvasTask, RunCanvasInput } from "../canvas-input.ts";

const priorities: readonly Priority[] = ["critical", "high", "medium", "low"];
const startedAt = 1_700_000_000_000;

export interface Sample {
  readonly lanes: number;
  /** So many parts share the lanes; 0: they are the root's. */
  readonly parts: number;
  /** Any number: what differs from lane to lane follows from it. */
  readonly seed: number;
  readonly minutes: number;
}

/** The same numbers give the same run. */
export function sampleRun({ lanes, parts, seed, minutes }: Sample): RunCanvasInput {
  const end = startedAt + minutes * 60_000;
  const pick = (lane: number, of: number): number => Math.abs((seed * 7919 + lane * 104_729) % of);
  const root = "O-A-1";
  const laneTask = (orchestrator: string, lane: number): CanvasTask => {
    const isStarted = pick(lane, 5) !== 4;
    return {
      id: `${orchestrator}/t${lane}`,
      title: `Task number ${lane}`,
      phase: 1 + (lane % 2),
      priority: priorities[pick(lane, 4)] ?? null,
      rank: pick(lane, 3) === 0 ? null : `a${String(lane).padStart(4, "0")}`,
      worker: isStarted ? `agent-${lane + 1}` : null,
      isFinished: isStarted && pick(lane, 7) === 3,
      part: null,
    };
  };
  const numbers = Array.from({ length: lanes }, (_, lane) => lane);
  const partOf = (nth: number): CanvasPart => ({
    orchestrator: `O-B-${nth + 1}`,
    title: `Part ${nth + 1}`,
    phases: [{ number: 1, title: "All of it" }],
    tasks: numbers.filter((lane) => lane % parts === nth).map((lane) => laneTask(`O-B-${nth + 1}`, lane)),
  });
  const tasks =
    parts === 0
      ? numbers.map((lane) => laneTask(root, lane))
      : Array.from({ length: parts }, (_, nth): CanvasTask => {
          const part = partOf(nth);
          return {
            ...laneTask(root, 1_000 + nth),
            title: part.title,
            worker: part.orchestrator,
            isFinished: false,
            part,
          };
        });
  const begun = (task: CanvasTask): readonly CanvasTask[] => [
    ...(task.worker !== null && !task.part ? [task] : []),
    ...(task.part?.tasks.flatMap(begun) ?? []),
  ];
  return {
    root: {
      orchestrator: root,
      title: "A goal",
      phases: [
        { number: 1, title: "First" },
        { number: 2, title: "Second" },
      ],
      tasks,
    },
    timeline: timelineOf(root, tasks.flatMap(begun), { end, pick }),
    ahead: { hasContracts: true, hasIntegration: true, seats: 4, hasLanding: true },
    radar: lanes > 3 ? [{ workers: ["agent-1", "agent-3"], where: "src/ledger.ts" }] : [],
    waiting: [{ id: "card-1", worker: "agent-2", answers: ["Cents", "Tenths"] }],
    now: end,
    room: { width: 1060, height: 760 },
    window: null,
    isFollowingNow: true,
    folded: {},
  };
}

interface Times {
  readonly end: number;
  readonly pick: (lane: number, of: number) => number;
}

function timelineOf(root: string, tasks: readonly CanvasTask[], { end, pick }: Times): RunTimeline {
  const contractsAt = startedAt + 30_000;
  const spine: TimelineTrack = {
    ...{ id: root, kind: "spine", orchestrator: root, parent: null, task: null, title: "", phase: 0 },
    workers: [],
    marks: [
      { id: "contracts", kind: "contracts", at: contractsAt },
      { id: "phase-1", kind: "phase", phase: 1, at: contractsAt + 1 },
    ],
    stretches: [],
  };
  const laneOf = (task: CanvasTask, lane: number): TimelineTrack => {
    const worker = task.worker ?? "";
    const from = contractsAt + 1_000 + pick(lane, 20_000);
    const count = 1 + pick(lane, 9);
    const step = Math.max(1, (end - from) / (count + 1));
    const marks: TrackMark[] = Array.from({ length: count }, (_, nth) => ({
      ...{ id: `${task.id}/i${nth}`, kind: "iteration", worker, iteration: nth + 1 },
      at: Math.round(from + step * (nth + 1)),
      failed: pick(lane + nth, 3) === 0 ? null : pick(lane + nth, 2) === 0 ? [] : ["npm test"],
      isLast: false,
    }));
    const last = marks.at(-1)?.at ?? from;
    return {
      ...{ id: task.id, kind: "lane", orchestrator: task.id.split("/")[0] ?? root, parent: null },
      ...{ task: task.id.split("/")[1] ?? null, title: task.title, phase: task.phase, workers: [worker] },
      marks: [
        { id: `${task.id}/began`, kind: "began", worker, at: from },
        ...marks,
        ...(task.isFinished
          ? [{ id: `${task.id}/merged`, kind: "merged", worker, at: last + 1_000 } as const]
          : []),
      ],
      stretches: [],
    };
  };
  return {
    run: "sample",
    startedAt,
    endedAt: null,
    tracks: [spine, ...tasks.map(laneOf)],
    messages: [
      {
        ...{ id: "m1", kind: "question", from: "agent-2", to: root, text: "Which one?" },
        at: end - 30_000,
        settledAt: null,
      },
    ],
    decisions: [
      {
        ...{ id: "d1", card: null, orchestrator: root, title: "The owner is user_id", state: "applied" },
        at: contractsAt + 60_000,
        settledAt: contractsAt + 61_000,
        binds: tasks.map(({ id }) => id),
        conflicts: tasks.slice(0, 1).map(({ id }) => id),
      },
    ],
    breaks: [],
  };
}
