/** What a run had come to after any number of its events, without reducing all of them each time. */
import { idleRun, type RunEvent, type RunState } from "#shared/domain/run/run-state.ts";
import { replay as replayCourse } from "#shared/domain/run/transition.ts";
import { reduceTimeline } from "#shared/domain/timeline/reduce-timeline.ts";
import { emptyTimeline, type TimelineState } from "#shared/domain/timeline/timeline-events.ts";
import { reduceModel } from "../engine/model/reduce-model.ts";
import { emptyModel, type RunModel } from "../engine/model/run-model.ts";
import { keptStates } from "./kept-states.ts";
import type { RecordedMoment, Recording } from "./recording.ts";

export interface PastStates {
  /** After the first `count` events. */
  model(count: number): RunModel;
  /** What had happened by then. */
  timeline(count: number): TimelineState;
  /** An orchestrator's course after the first `count` events. */
  course(orchestrator: string, count: number): RunState;
}

export function createPastStates({
  run,
  startedAt,
  input,
  moments,
}: Pick<Recording, "run" | "startedAt" | "input" | "moments">): PastStates {
  const model = keptStates(moments, emptyModel, (before, { event }) =>
    event.kind === "StageMoved" ? before : reduceModel(before, event),
  );
  const timeline = keptStates(moments, emptyTimeline(run, startedAt, input.root), (before, { at, event }) =>
    reduceTimeline(before, at, event),
  );
  const courses = coursesOf(moments);
  const known = new Map<string, { readonly steps: number; readonly state: RunState }>();

  return {
    model,
    timeline,
    course(orchestrator, count) {
      const own = courses.get(orchestrator);
      if (!own) return idleRun;
      const steps = stepsBefore(own, count);
      const before = known.get(orchestrator);
      if (before?.steps === steps) return before.state;
      const state = replayCourse(own.slice(0, steps).map(({ event }) => event));
      known.set(orchestrator, { steps, state });
      return state;
    },
  };
}

interface CourseStep {
  /** Its place among all events. */
  readonly place: number;
  readonly event: RunEvent;
}

function coursesOf(moments: readonly RecordedMoment[]): ReadonlyMap<string, readonly CourseStep[]> {
  const courses = new Map<string, CourseStep[]>();
  for (const [place, { event }] of moments.entries()) {
    if (event.kind !== "StageMoved") continue;
    const own = courses.get(event.orchestrator) ?? [];
    own.push({ place, event: event.event });
    courses.set(event.orchestrator, own);
  }
  return courses;
}

function stepsBefore(own: readonly CourseStep[], count: number): number {
  const found = own.findIndex(({ place }) => place >= count);
  return found < 0 ? own.length : found;
}
