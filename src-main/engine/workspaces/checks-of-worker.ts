/** The checks that judge a worker's files. */
import { roles } from "#shared/domain/worker/roles.ts";
import type { CheckRunner } from "../../agent/agent-interface.ts";
import type { Checks } from "../../checks/found-checks.ts";
import type { RunPlaces, RunReader } from "../ports.ts";
import { checkOptions } from "./check-options.ts";
import type { CheckoutHandle } from "./workspace-interface.ts";

export const checkRunner = (run: RunReader & RunPlaces, worker: string, place: CheckoutHandle): CheckRunner =>
  place.checks({
    ...checkOptions(run, roles[run.worker(worker).record.role].canIntegrate),
    foundIn: checksPlace(run, worker),
    history: run.worker(worker).record.checkRounds,
  });

/** Where the checks of a worker are found: its parent's files, which it cannot write. */
const checksPlace = (run: RunReader & RunPlaces, worker: string): CheckoutHandle => {
  const { parent } = run.worker(worker).record;
  return (parent === null ? null : run.workspaces.of(parent)) ?? run.workspaces.home();
};

/** Which they are, as far as they are known before its own files are looked at. */
export async function checksOf(run: RunReader & RunPlaces, worker: string): Promise<Checks> {
  const { fastChecks, slowChecks, base } = checkOptions(run);
  const isLeft = (command: string): boolean => base?.leftOut.includes(command) !== true;
  const found = fastChecks && slowChecks ? null : await checksPlace(run, worker).foundChecks(base?.chosen);
  return {
    fast: (fastChecks ?? found?.fast ?? []).filter(isLeft),
    slow: (slowChecks ?? found?.slow ?? []).filter(({ command }) => isLeft(command)),
  };
}
