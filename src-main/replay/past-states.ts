/** What a run had come to after any number of its events, without reducing all of them each time. */
import { idleRun, type RunEvent, type RunState } from "#shared/domain/run/run-state.ts";
import { replay as replayCourse } from "#shared/domain/run/transition.ts";
import { reduceModel } from "../engine/model/reduce-model.ts";
import { emptyModel, type RunModel } from "../engine/model/run-model.ts";
import type { RecordedMoment } from "./recording.ts";

/** After so many events one state is kept: a jump back begins at the nearest. */
const keptEvery = 128;

export interface PastStates {
  /** After the first `count` events. */
  model(count: number): RunModel;
  /** An orchestrator's course after the first `count` events. */
  course(orchestrator: string, count: number): RunState;
}

export function createPastStates(moments: readonly RecordedMoment[]): PastStates {
  const kept: RunModel[] = [emptyModel];
  let last = { count: 0, model: emptyModel };
  const courses = coursesOf(moments);
  const known = new Map<string, { readonly steps: number; readonly state: RunState }>();

  return {
    model(count) {
      const nearest = Math.min(Math.floor(count / keptEvery), kept.length - 1);
      let at = last.count <= count && last.count >= nearest * keptEvery ? last.count : nearest * keptEvery;
      let model = at === last.count ? last.model : (kept[nearest] ?? emptyModel);
      for (; at < count; at++) {
        const event = moments[at]?.event;
        if (event && event.kind !== "StageMoved") model = reduceModel(model, event);
        if ((at + 1) % keptEvery === 0) kept[(at + 1) / keptEvery] ??= model;
      }
      last = { count, model };
      return model;
    },
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
