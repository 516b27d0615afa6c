import { parseAddress } from "#shared/domain/change-metadata/address.ts";
import {
  type Forecast,
  forecastOf,
  isSameForecast,
  type Meeting,
  noForecast,
  pairsOf,
  type RadarPair,
} from "#shared/domain/radar/radar.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { TrialConflict } from "../../jj/ports/repository-interface.ts";
import { explain } from "../engine-errors.ts";
import type { Radar, Run, RunReader } from "../ports.ts";
import { siblingAttempts } from "../workers/attempts.ts";
import { parentOf, rootOf } from "../workers/hierarchy.ts";

/** Saves that follow each other closely are one look. */
const settleMs = 400;
/** After a look the radar rests this many times as long as it took: at most a fifth of one core, however many agents. */
const restFactor = 4;

export type Later = (begin: () => void, ms: number) => () => void;
export const afterTime: Later = (begin, ms) => {
  const timer = setTimeout(begin, ms);
  return () => clearTimeout(timer);
};

/** What the radar needs of a run. */
export type Watched = Pick<
  Run,
  | "repository"
  | "row"
  | "stateOf"
  | "workers"
  | "facts"
  | "runEnded"
  | "changed"
  | "schedule"
  | "appendTranscript"
  | "others"
>;

/**
 * The conflict forecast of a run. One look at a time, outside of iterations: no jj process with fewer than
 * two started agents, two without conflicts, and three with some. A failed look is logged and retried with
 * the next save; it never stops anything.
 *
 * @param later starts a look after this many ms, and returns a cancel function
 */
export function createRadar(of: () => Watched, later: Later = afterTime): Radar {
  let forecast = noForecast;
  let pairs: readonly RadarPair[] | null = null;
  let cancel: (() => void) | null = null;
  let looking: Promise<void> | null = null;
  let isRequestedAgain = false;
  let lastMs = 0;
  let stopped = false;
  let notified = "";

  const show = (found: Forecast) => {
    if (isSameForecast(forecast, found)) return;
    forecast = found;
    of().changed();
    // Who has to be told is looked for.
    of().schedule();
  };
  const lookNow = async (): Promise<void> => {
    const run = of();
    const begun = performance.now();
    try {
      const live = headsBesides(run);
      const found = live.size < 2 ? [] : await run.repository.trialMerge([...live.keys()]);
      if (isOff()) return;
      notified = "";
      const meetings = found.flatMap((one) => meetingsIn(run, one, live));
      const before = pairs ?? [];
      pairs = pairsOf(meetings);
      lookInOtherRuns(run, before, pairs);
      show(forecastOf(meetings));
    } catch (error) {
      if (isOff()) return;
      const text = `The conflict radar failed: ${explain(error).message}`;
      if (text !== notified) run.appendTranscript("hox", { kind: "notice", text });
      notified = text;
    } finally {
      lastMs = performance.now() - begun;
    }
  };
  const isOff = () => stopped || of().runEnded.signal.aborted;
  const begin = () => {
    cancel = null;
    if (isOff()) return;
    looking = lookNow().finally(() => {
      looking = null;
      if (isRequestedAgain) {
        isRequestedAgain = false;
        arm(Math.max(settleMs, lastMs * restFactor));
      }
    });
  };
  const arm = (ms: number) => {
    if (!isOff()) cancel ??= later(begin, ms);
  };

  return {
    look() {
      if (looking) isRequestedAgain = true;
      else arm(settleMs);
    },
    hasCompany(worker) {
      const run = of();
      return [...headsBesides(run).values()].some(
        (other) =>
          other !== worker &&
          run.workers.get(other)?.record.status !== "done" &&
          !siblingAttempts(run, worker).includes(other),
      );
    },
    pairs: () => pairs,
    forecast: () => forecast,
    async stop() {
      stopped = true;
      cancel?.();
      cancel = null;
      await looking;
    },
  };
}

/** The places of a file in conflict, with workers for their changes. */
function meetingsIn(
  run: Watched,
  { path, places, pairs }: TrialConflict,
  live: ReadonlyMap<string, string>,
): readonly Meeting[] {
  const all = places.length > 0 ? places : [{ from: null, to: null, pairs }];
  return all.map(({ from, to, pairs: met }) => ({
    path,
    lines: from === null ? null : { from, to },
    pairs: met.flatMap(([one, other]) => {
      const [a, b] = [live.get(one), live.get(other)];
      if (a === undefined || b === undefined) return [];
      // What only others meet in is theirs. Attempts at one task are to collide: one of them is chosen.
      return (run.workers.has(a) || run.workers.has(b)) && !siblingAttempts(run, a).includes(b)
        ? [[a, b] as const]
        : [];
    }),
  }));
}

/** Live heads of a run that has some, and those of the others: theirs land beside each other. */
export function headsBesides(
  run: Pick<Run, "row" | "stateOf" | "workers" | "facts" | "others">,
): ReadonlyMap<string, string> {
  const own = liveHeads(run);
  return own.size === 0 ? own : new Map([...own, ...run.others().flatMap(headsOfOther)]);
}

/** Under their addresses. Of work that is together, what brings it together, under the name of its root. */
function headsOfOther(other: Run): readonly (readonly [string, string])[] {
  const { integration } = other.orchestratorFacts(rootOf(other));
  const { stage } = other.stateOf(rootOf(other)).current;
  return integration === null || stage === "executing"
    ? [...liveHeads(other)].map(([change, name]) => [change, `${parentOf(other, name)}/${name}`])
    : [[integration, rootOf(other)]];
}

/** Whether a name of the radar is that of somebody of another run. */
export function isNameIn(other: RunReader, name: string): boolean {
  const { orchestrator, agent } = parseAddress(name);
  return other.workers.has(orchestrator) && (agent === null || other.workers.has(agent));
}

/** Whoever meets another run's workers differently than before is shown in that run, too. */
function lookInOtherRuns(run: Watched, before: readonly RadarPair[], now: readonly RadarPair[]): void {
  for (const other of run.others()) {
    const isOf = ({ a, b }: RadarPair) => isNameIn(other, a) || isNameIn(other, b);
    if (JSON.stringify(before.filter(isOf)) !== JSON.stringify(now.filter(isOf))) other.radar.look();
  }
}

/** Change id → worker, of every started task that is not in an integration yet. */
function liveHeads(run: Pick<Run, "row" | "stateOf" | "workers" | "facts">): ReadonlyMap<string, string> {
  const live = new Map<string, string>();
  const stage = (orchestrator: string) => run.stateOf(orchestrator).current.stage;
  for (const { record } of run.workers.values())
    if (
      record.task !== null &&
      stage(record.parent ?? rootOf(run)) === "executing" &&
      // Until a part is complete, its agents count separately.
      (roles[record.role].canWriteTask || stage(record.name) === "complete") &&
      record.changeId !== null &&
      record.status !== "open" &&
      record.status !== "abandoned"
    )
      live.set(record.changeId, record.name);
  return live;
}
