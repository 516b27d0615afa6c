/** Spines and lanes of a timeline: how they are created and updated. */
import type { Plan } from "../plan/plan.ts";
import type { TimelineState, TimelineTrack, TrackMark, TrackStretch } from "./timeline.ts";

// Not over each kind at once, for a mark's fields go with its kind.
type Unnumbered<Mark> = Mark extends TrackMark ? Omit<Mark, "id" | "at"> : never;
/** A mark before it is numbered. */
export type NewMark = Unnumbered<TrackMark>;

/** @returns the id of the lane of a task */
export const laneId = (orchestrator: string, task: string): string => `${orchestrator}/${task}`;

/** @returns the track of that id, if there is one */
export const trackOf = ({ tracks }: TimelineState, id: string): TimelineTrack | null =>
  (Object.hasOwn(tracks, id) ? tracks[id] : undefined) ?? null;

const withTrack = (state: TimelineState, track: TimelineTrack): TimelineState => ({
  ...state,
  tracks: { ...state.tracks, [track.id]: track },
});

/** Adds an orchestrator's spine, once. `part`: what it has of its parent's plan. */
export function withSpine(
  state: TimelineState,
  orchestrator: string,
  part: Pick<TimelineTrack, "parent" | "task" | "title" | "phase"> | null = null,
): TimelineState {
  if (trackOf(state, orchestrator)) return state;
  const spine: TimelineTrack = {
    id: orchestrator,
    kind: "spine",
    orchestrator,
    ...(part ?? { parent: null, task: null, title: "", phase: 0 }),
    workers: [],
    marks: [],
    stretches: [],
  };
  const { parent, task } = spine;
  const next = withTrack(state, spine);
  if (parent === null || task === null) return next;
  const placed = withLane(next, laneId(parent, task), parent, spine);
  return { ...placed, parts: { ...placed.parts, [laneId(parent, task)]: orchestrator } };
}

/** Adds a lane, once; behind those of its orchestrator, or right behind `after`. */
export function withLane(
  state: TimelineState,
  id: string,
  orchestrator: string,
  of: Pick<TimelineTrack, "task" | "title" | "phase">,
  after: string | null = null,
): TimelineState {
  if (trackOf(state, id)) return state;
  const { task, title, phase } = of;
  const next = withTrack(withSpine(state, orchestrator), {
    id,
    kind: "lane",
    orchestrator,
    parent: null,
    task,
    title,
    phase,
    workers: [],
    marks: [],
    stretches: [],
  });
  const own = next.lanes[orchestrator] ?? [];
  const place = after === null ? own.length : attemptsEnd(own, after);
  return { ...next, lanes: { ...next.lanes, [orchestrator]: own.toSpliced(place, 0, id) } };
}

/** The index after a lane and its attempts. */
function attemptsEnd(own: readonly string[], lane: string): number {
  const last = own.findLastIndex((id) => id === lane || id.startsWith(`${lane}/`));
  return last < 0 ? own.length : last + 1;
}

/** Somebody works on a track. */
export function withWorker(state: TimelineState, id: string, worker: string): TimelineState {
  const track = trackOf(state, id);
  if (!track) return state;
  const next = { ...state, homes: { ...state.homes, [worker]: id } };
  return track.workers.includes(worker)
    ? next
    : withTrack(next, { ...track, workers: [...track.workers, worker] });
}

/** Writes a mark. */
export function withMark(state: TimelineState, id: string, at: number, mark: NewMark): TimelineState {
  const track = trackOf(state, id);
  if (!track) return state;
  const numbered: TrackMark = { ...mark, id: `${id}#${track.marks.length}`, at };
  return withTrack(state, { ...track, marks: [...track.marks, numbered] });
}

/** Begins or ends a stretch; nothing if that is so already. */
export function withStretch(
  state: TimelineState,
  id: string,
  at: number,
  { kind, worker, isOn }: Pick<TrackStretch, "kind" | "worker"> & { readonly isOn: boolean },
): TimelineState {
  const track = trackOf(state, id);
  if (!track) return state;
  const open = track.stretches.findLastIndex(
    (one) => one.kind === kind && one.worker === worker && one.to === null,
  );
  if (open >= 0 === isOn) return state;
  const stretches: readonly TrackStretch[] = isOn
    ? [...track.stretches, { id: `${id}~${track.stretches.length}`, kind, worker, from: at, to: null }]
    : track.stretches.map((one, index) => (index === open ? { ...one, to: at } : one));
  return withTrack(state, { ...track, stretches });
}

/** Ends all stretches at the run's end. */
export function withoutOpenStretches(state: TimelineState, at: number): TimelineState {
  let next = state;
  for (const { id, stretches } of Object.values(state.tracks))
    for (const { kind, worker, to } of stretches)
      if (to === null) next = withStretch(next, id, at, { kind, worker, isOn: false });
  return next;
}

/** Updates the lanes from a plan. Lanes of removed tasks stay if there was work on them. */
export function withPlan(state: TimelineState, orchestrator: string, plan: Plan): TimelineState {
  let next = withSpine(state, orchestrator);
  for (const { id: task, title, phase } of plan.tasks) {
    const id = laneId(orchestrator, task);
    next = withLane(next, id, orchestrator, { task, title, phase });
    next = renamed(next, id, title, phase);
    const part = next.parts[id];
    if (part !== undefined) next = renamed(next, part, title, phase);
  }
  return { ...next, lanes: { ...next.lanes, [orchestrator]: orderedLanes(next, orchestrator, plan) } };
}

function renamed(state: TimelineState, id: string, title: string, phase: number): TimelineState {
  const track = trackOf(state, id);
  return !track || (track.title === title && track.phase === phase)
    ? state
    : withTrack(state, { ...track, title, phase });
}

/** In the plan's order; others keep their predecessor. */
function orderedLanes(state: TimelineState, orchestrator: string, plan: Plan): readonly string[] {
  const before = state.lanes[orchestrator] ?? [];
  const order = plan.tasks.map(({ id }) => laneId(orchestrator, id));
  const planned = new Set(order);
  for (const [index, id] of before.entries()) {
    if (planned.has(id)) continue;
    if (state.parts[id] === undefined && trackOf(state, id)?.workers.length === 0) continue;
    const behind = before.slice(0, index).findLast((other) => order.includes(other));
    order.splice(behind === undefined ? 0 : order.indexOf(behind) + 1, 0, id);
  }
  return order;
}
