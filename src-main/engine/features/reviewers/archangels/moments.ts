/** Moments that no other event tells: the end of a phase, and that nothing moves any more. */
import type { ArchangelWake } from "#shared/domain/archangel/archangel.ts";
import type { StageState } from "#shared/domain/run/stage-state.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import { type Action, background, type Tick } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isWatch, orchestratorsOf, rootOf } from "../../../workers/hierarchy.ts";

const isWanted = (run: RunReader, wake: ArchangelWake): boolean =>
  archangelsOf(run.config).some(({ isOn, wakes }) => isOn && wakes.includes(wake));

interface SeePhaseEnd extends Action {
  readonly orchestrator: string;
  readonly phase: number;
}

export const seePhaseEnds = background<Run, SeePhaseEnd>({
  desired: (run) =>
    isWanted(run, "phase_end")
      ? orchestratorsOf(run).flatMap((orchestrator) => {
          const phase = lastPhaseEnded(run.stateOf(orchestrator));
          return phase > (run.facts.archangels.phasesSeen[orchestrator] ?? 0)
            ? [{ id: `phase-end/${orchestrator}/${phase}`, orchestrator, phase }]
            : [];
        })
      : [],
  perform: async (run, { orchestrator, phase }) => run.append({ kind: "PhaseEndSeen", orchestrator, phase }),
  failure: () => ({ title: "The end of a phase was not recorded", worker: null, isAsked: false }),
});

/** Contracts are phase 0, whose end is no end of work. */
function lastPhaseEnded({ course, tasks }: StageState): number {
  switch (course.stage) {
    case "executing":
      return course.settled ? course.phase : course.phase - 1;
    case "integrating":
    case "validating":
    case "learning":
    case "landing":
      return Math.max(0, ...tasks.map(({ phase }) => phase));
    default:
      return 0;
  }
}

/** So long has nothing moved. */
export const idleMs = 5 * 60_000;

export const seeIdle: Tick<Run> = {
  name: "idle archangels",
  everyMs: () => 30_000,
  look(run) {
    const { moments, last } = run.facts.archangels;
    if (isWatch(run) || !isWanted(run, "idle") || moments === 0 || last.at(-1)?.wake === "idle" || run.held())
      return;
    const movedAt = [...run.workers.values()].flatMap(({ record, lastActivityAt }) =>
      roles[record.role].hasIterations || roles[record.role].isLead ? [lastActivityAt] : [],
    );
    if (run.monotonic() - Math.max(...movedAt) >= idleMs)
      run.append({ kind: "IdleSeen", orchestrator: rootOf(run) });
  },
};
