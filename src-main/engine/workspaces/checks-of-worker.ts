/** The checks that judge a worker's files. */
import { roles } from "#shared/domain/worker/roles.ts";
import type { CheckRunner } from "../../agent/agent-interface.ts";
import { createCheckRunner } from "../../checks/check-runner.ts";
import { type Checks, foundChecks } from "../../checks/found-checks.ts";
import type { Run } from "../ports.ts";
import { checkOptions } from "./check-options.ts";
import { workspaceOf } from "./workspaces.ts";

export async function checkRunner(run: Run, worker: string): Promise<CheckRunner> {
  return createCheckRunner({
    sandbox: await run.sandbox(),
    ...checkOptions(run, roles[run.worker(worker).record.role].canIntegrate),
    defaultsFrom: checksFolder(run, worker),
    history: run.worker(worker).record.checkRounds,
  });
}

/** Where the checks of a worker are found: its parent's files, which it cannot write. */
const checksFolder = (run: Run, worker: string): string => {
  const { parent } = run.worker(worker).record;
  return (parent === null ? null : workspaceOf(run, parent))?.folder ?? run.repository.root;
};

/** Which they are, as far as they are known before its own files are looked at. */
export async function checksOf(run: Run, worker: string): Promise<Checks> {
  const { fastChecks, slowChecks, base } = checkOptions(run);
  const isLeft = (command: string): boolean => base?.leftOut.includes(command) !== true;
  const found =
    fastChecks && slowChecks ? null : await foundChecks([checksFolder(run, worker)], base?.chosen);
  return {
    fast: (fastChecks ?? found?.fast ?? []).filter(isLeft),
    slow: (slowChecks ?? found?.slow ?? []).filter(({ command }) => isLeft(command)),
  };
}
