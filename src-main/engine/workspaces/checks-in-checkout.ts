/** Checks of a commit where nothing of the agent's folder can help it: in a fresh checkout. (HYLO-6) */
import { realpath } from "node:fs/promises";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { createCheckRunner } from "../../checks/check-runner.ts";
import { Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { checkOptions } from "./check-options.ts";
import { freshCheckouts } from "./checkout.ts";
import { setUpWorkspace } from "./set-up-workspace.ts";
import { environmentOf } from "./worker-environment.ts";

/**
 * Runs every check on exactly the files of a commit, after the set-up commands of the repository. Takes one of the
 * places at which agents work, so that many finished tasks do not run their checks all at once.
 */
export async function checkFresh(
  run: Run,
  worker: string,
  commit: string,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const { fastChecks, slowChecks } = checkOptions(run);
  // Nobody needs the files then.
  if (fastChecks?.length === 0 && slowChecks?.length === 0) return [];
  const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
  const release = await run.slots.take(worker, cancelled).catch(() => {
    throw new Interrupted();
  });
  try {
    if (run.held()) throw new Interrupted();
    run.setActivity(worker, "checking", "running checks in a fresh checkout");
    const places = await freshCheckouts(run, commit, {
      prepare: (folder) => setUpWorkspace(run, worker, folder, cancelled),
      signal: cancelled,
    });
    try {
      const workspace = await realpath((await places.checkout()).folder);
      run.setActivity(worker, "checking", "running checks in a fresh checkout");
      const results = await (await freshRunner(run)).run({
        workspace,
        iteration: 1,
        all: true,
        signal: cancelled,
        environment: environmentOf(run, worker),
      });
      // What was cut short says nothing about the work.
      if (cancelled.aborted) throw new Interrupted();
      if (results.length > 0) run.appendTranscript(worker, { kind: "checks", results });
      return results;
    } finally {
      await places.remove();
    }
  } finally {
    release();
  }
}

const freshRunner = async (run: Run) =>
  createCheckRunner({
    sandbox: await run.sandbox(),
    ...checkOptions(run),
    defaultsFrom: run.repository.root,
  });
