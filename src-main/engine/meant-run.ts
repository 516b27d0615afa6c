/** Which run a command is for: with several active ones it must be given or follow from the command. */
import { AsyncLocalStorage } from "node:async_hooks";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Journal } from "../journal/journal.ts";
import { EngineRefusal } from "./engine-errors.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Run } from "./ports.ts";
import { isWatch, rootOf } from "./workers/hierarchy.ts";

/** What commands are carried out on. */
export interface MeantRun {
  /** The meant run, over or not; by default the one that was opened last. */
  opened(): Run | null;
  /** The same if active. */
  going(): Run | null;
  /** The active run that is meant. @throws EngineRefusal if there is none, or it is ambiguous */
  active(): Run;
  /** Carries out a command; with a name (an id, the beginning of one, or its root), of that run. */
  during<T>(name: string | null, input: unknown, work: () => T): T;
}

/** A run's name among active runs. */
export const runName = (run: Pick<Run, "row">): string =>
  `${rootOf(run)} "${startOf(run.row.input.goal, 80)}"`;

export function createMeantRun(runs: OpenRuns, journal: Pick<Journal, "inboxItem">): MeantRun {
  // Handlers ask at any depth, and others are carried out between their steps.
  const meant = new AsyncLocalStorage<Run | null>();
  const of: MeantRun = {
    opened: () => meant.getStore() ?? runs.latest(),
    going() {
      const run = of.opened();
      return run && !isOver(run.state) ? run : null;
    },
    active() {
      const chosen = meant.getStore();
      if (chosen && isOver(chosen.state))
        throw new EngineRefusal(
          `The run ${runName(chosen)} has ended.`,
          runs.going().length === 0 ? "Start one with a goal." : `Choose one: ${names(runs.going())}.`,
        );
      const [first, ...others] = chosen ? [chosen] : meantWhereNobodySays(runs);
      if (first === undefined) throw new EngineRefusal("No active run.", "Start one with a goal.");
      if (others.length === 0) return first;
      throw new EngineRefusal(
        `${others.length + 1} runs are active.`,
        `Choose one (--run in a terminal): ${names([first, ...others])}.`,
      );
    },
    during(name, input, work) {
      const named = name === null ? null : runNamed(runs, name);
      const target = runOf(runs, journal, input, named) ?? named ?? meant.getStore() ?? null;
      return meant.run(target, work);
    },
  };
  return of;
}

/** A watch only if nothing else is active: a command without a run means work. */
function meantWhereNobodySays(runs: Pick<OpenRuns, "going">): readonly Run[] {
  const going = runs.going();
  const work = going.filter((run) => !isWatch(run));
  return work.length > 0 ? work : going;
}

const names = (runs: readonly Run[]): string => runs.map(runName).join(", ");

/** @throws EngineRefusal where no run that is open has that name */
function runNamed(runs: OpenRuns, name: string): Run {
  const [found, ...others] = runs
    .shown()
    .filter((run) => run.id === name || rootOf(run) === name || (name.length >= 4 && run.id.startsWith(name)))
    .toSorted((one, other) => Number(isOver(one.state)) - Number(isOver(other.state)));
  if (found && (others.length === 0 || found.id === name || rootOf(found) === name)) return found;
  throw new EngineRefusal(
    found
      ? `Several run IDs start with "${startOf(name, 40)}".`
      : `No active run "${startOf(name, 40)}" in this repository.`,
    runs.shown().length === 0 ? "Start one with a goal." : `Available: ${names(runs.shown())}.`,
  );
}

/** Names of cards, agents and orchestrators are unique among active runs. */
function runOf(
  runs: OpenRuns,
  journal: Pick<Journal, "inboxItem">,
  input: unknown,
  named: Run | null,
): Run | null {
  if (typeof input !== "object" || input === null) return null;
  const field = (name: string): string | null => {
    const value = (input as Readonly<Record<string, unknown>>)[name];
    return typeof value === "string" ? value : null;
  };
  const card = field("nonce") === null ? field("card") : field("id");
  const asked = card === null ? null : journal.inboxItem(card)?.item.run;
  if (asked) return runs.shown().find(({ id }) => id === asked) ?? null;
  // It may be an address: `O-A-2/agent-4`, `O-A-2/*`.
  const worker = (field("worker") ?? field("orchestrator"))?.split("/")[0] ?? null;
  if (worker === null || named?.workers.has(worker)) return named;
  const having = runs.going().filter((run) => run.workers.has(worker));
  return having.length === 1 ? (having[0] ?? null) : null;
}
