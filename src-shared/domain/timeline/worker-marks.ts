/** What becomes visible on its track by what became of a worker: its record before and after an event is compared. */
import { isBlocking } from "../project/known-failures.ts";
import type { Workers } from "../worker/reduce-workers.ts";
import { roles } from "../worker/roles.ts";
import type { WorkerEvent } from "../worker/worker-events.ts";
import type { WorkerRecord } from "../worker/worker-record.ts";
import type { TrackStretch } from "./timeline.ts";
import type { TimelineState } from "./timeline-events.ts";
import {
  laneId,
  type NewMark,
  trackOf,
  withLane,
  withMark,
  withSpine,
  withStretch,
  withWorker,
} from "./tracks.ts";

/** Gives whoever joins a track: an orchestrator its spine, who writes a task its lane, an integrator its parent's spine. */
export function withNewcomer(state: TimelineState, worker: WorkerRecord, workers: Workers): TimelineState {
  const { name, role, parent, task, title, phase } = worker;
  if (roles[role].isLead) {
    const part = parent !== null && task !== null ? { parent, task, title, phase } : null;
    return withWorker(withSpine(state, name, part), name, name);
  }
  if (parent === null) return state;
  if (roles[role].canIntegrate)
    return { ...withSpine(state, parent), homes: { ...state.homes, [name]: parent } };
  if (!roles[role].canWriteTask || task === null) return state;
  const lane = laneId(parent, task);
  const before = worker.replaces === null ? undefined : state.homes[worker.replaces];
  const placed = withLane(state, before ?? lane, parent, { task, title, phase });
  if (before !== undefined || !isTaken(placed, lane, workers))
    return withWorker(placed, before ?? lane, name);
  const own = `${lane}/${name}`;
  return withWorker(withLane(placed, own, parent, { task, title, phase }, lane), own, name);
}

/** Somebody works on it and has not been replaced: who comes now tries the same task beside. */
function isTaken(state: TimelineState, lane: string, workers: Workers): boolean {
  const last = trackOf(state, lane)?.workers.at(-1);
  return last !== undefined && workers[last]?.replacedBy === null;
}

/** Writes what an event made of one worker. */
export function withWorkerChange(
  state: TimelineState,
  at: number,
  event: WorkerEvent,
  [before, after]: readonly [WorkerRecord, WorkerRecord],
): TimelineState {
  const home = Object.hasOwn(state.homes, after.name) ? state.homes[after.name] : undefined;
  if (home === undefined) return state;
  let next = state;
  for (const mark of marksOf(state, home, event, [before, after])) next = withMark(next, home, at, mark);
  for (const stretch of stretchesOf(after)) next = withStretch(next, home, at, stretch);
  return after.replacedBy !== null && before.replacedBy === null
    ? withWorker(next, home, after.replacedBy)
    : next;
}

function marksOf(
  state: TimelineState,
  home: string,
  event: WorkerEvent,
  [before, after]: readonly [WorkerRecord, WorkerRecord],
): readonly NewMark[] {
  const worker = after.name;
  const marks: NewMark[] = [];
  if (after.status === "in_progress" && before.status !== "in_progress" && !hasBegun(state, home, worker))
    marks.push({ kind: "began", worker });
  if (event.kind === "IterationEnded") {
    const failed = event.checks.filter(isBlocking).map(({ name }) => name);
    const { iteration, checks, status } = event;
    const isLast = status === "review" || status === "done";
    marks.push({ kind: "iteration", worker, iteration, failed: checks.length === 0 ? null : failed, isLast });
  }
  marks.push(...foldMarks(event, before, after), ...conflictMarks(before, after));
  if (after.replacedBy !== null && before.replacedBy === null)
    marks.push({ kind: "reassigned", from: worker, worker: after.replacedBy });
  else if (after.status === "abandoned" && before.status !== "abandoned")
    marks.push({ kind: "abandoned", worker });
  else if (after.status === "done" && before.status !== "done" && after.fold?.state.stage !== "merged")
    marks.push({ kind: "done", worker });
  if (event.kind === "WorkUndone") marks.push({ kind: "undone", worker });
  return marks;
}

/** An orchestrator's course says when it begins. */
const hasBegun = (state: TimelineState, home: string, worker: string): boolean =>
  trackOf(state, home)?.marks.some((mark) => mark.kind === "began" && mark.worker === worker) ?? true;

function foldMarks(event: WorkerEvent, before: WorkerRecord, after: WorkerRecord): readonly NewMark[] {
  const worker = after.name;
  if (event.kind === "WorkOffered") return [{ kind: "offered", worker }];
  const stage = after.fold?.state.stage;
  if (stage === before.fold?.state.stage) return [];
  if (stage === "checking") return [{ kind: "offered", worker }];
  if (stage === "changes-requested") return [{ kind: "sent-back", worker }];
  return stage === "merged" ? [{ kind: "merged", worker }] : [];
}

function conflictMarks(before: WorkerRecord, after: WorkerRecord): readonly NewMark[] {
  const worker = after.name;
  if (after.contradicts !== null && after.contradicts !== before.contradicts)
    return [{ kind: "contradiction", worker, decision: after.contradicts }];
  return after.conflict === "merge" && before.conflict !== "merge"
    ? [{ kind: "conflict", worker, cause: after.conflictCause }]
    : [];
}

function stretchesOf(
  worker: WorkerRecord,
): readonly (Pick<TrackStretch, "kind" | "worker"> & { readonly isOn: boolean })[] {
  const isThere = worker.replacedBy === null && worker.status !== "abandoned";
  const { name, isPaused, takeover, awaitedQuestion, conflict, blocked, stall } = worker;
  const one = (kind: TrackStretch["kind"], isOn: boolean) => ({ kind, worker: name, isOn: isThere && isOn });
  return [
    one("held", isPaused && takeover === null),
    one("by-hand", takeover !== null),
    one("asks", awaitedQuestion !== null),
    one("conflict", conflict !== "none"),
    one("stuck", blocked !== null),
    one("stalled", stall !== null && blocked === null),
  ];
}
