/** The checks of a run: configured, given or found, compared with their results on the base. */

import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { fewNames, newlyPassed, outcomeText, type PreflightState } from "#shared/domain/project/preflight.ts";
import { chosenChecks } from "#shared/domain/project/preflight-checks.ts";
import { type PromptText, promptLine } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { CheckRunner } from "../../agent/agent-interface.ts";
import type { CheckedBase, CheckRunnerOptions } from "../../checks/check-runner.ts";
import type { Checks } from "../../checks/found-checks.ts";
import { Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { checkOnce } from "./check-once.ts";
import { environmentOf } from "./port-leases.ts";
import type { CheckoutHandle } from "./workspace-interface.ts";

/** Common options of a run's check runners. */
export function checkOptions(
  run: Pick<Run, "config"> & { readonly facts: Pick<Run["facts"], "preflight"> },
  /** Whether it judges what brings all work together: then what passed in any of it counts. */
  isResult = false,
): Pick<CheckRunnerOptions, "fastChecks" | "slowChecks" | "timeoutSeconds" | "protectedFiles"> & {
  readonly base?: CheckedBase;
} {
  const { backpressure, protectedFiles } = run.config;
  const state = run.facts.preflight;
  return {
    fastChecks: backpressure.fastChecks ?? state.given?.fast ?? null,
    slowChecks: backpressure.slowChecks ?? state.given?.slow ?? null,
    timeoutSeconds: backpressure.timeoutSeconds,
    protectedFiles,
    ...(state.look === null ? {} : { base: checkedBase(state, isResult) }),
  };
}

const checkedBase = ({ look, leftOut, passed, changed }: PreflightState, isResult: boolean): CheckedBase => ({
  chosen: Object.fromEntries(
    (look?.checks ?? []).map(({ name, command, outcome }) => [
      name,
      outcome === "missing"
        ? null
        : (Object.keys(changed).find((one) => changed[one] === command) ?? command),
    ]),
  ),
  changed,
  outcomes: Object.fromEntries(
    (look?.checks ?? []).map(({ command, outcome, failures, why }) => [
      command,
      passed.everyone.includes(command) || (isResult && passed.result.includes(command))
        ? { outcome: "passed", failures: null }
        : { outcome, failures, ...(why === undefined ? {} : { why }) },
    ]),
  ),
  leftOut,
});

/** Commands of all checks, as agents are told them. */
export function checkCommands(run: Pick<Run, "config" | "facts">): readonly string[] {
  const { fastChecks, slowChecks, base } = checkOptions(run);
  const found = Object.values(base?.chosen ?? {}).flatMap((command) => command ?? []);
  return [...(fastChecks ?? []), ...(slowChecks ?? []).map(({ command }) => command), ...found];
}

/** After a fresh checkout was checked: what was red without names and passes now counts again. */
export function notePassed(
  run: Pick<Run, "facts" | "append">,
  results: readonly CheckResult[],
  reach: "everyone" | "result",
): void {
  const passed = results.filter(({ outcome }) => outcome === "passed").map(({ command }) => command);
  const commands = newlyPassed(run.facts.preflight, passed, reach);
  if (commands.length > 0)
    run.append({ kind: "PreflightChanged", event: { kind: "Passed", commands, reach } });
}

/** What an agent has to know of failures that are not its own, so that it repairs none of them unasked. */
export function baselineFailureLines(run: Pick<Run, "facts">): readonly PromptText[] {
  const { look, leftOut } = run.facts.preflight;
  if (look === null) return [];
  const red = chosenChecks(look, leftOut).filter(({ outcome }) => outcome !== "passed");
  if (red.length === 0) return [];
  return [
    promptLine`These checks failed before the run began. They count only when more fails; leave what is old alone unless your task is about it.`,
    ...red.map((one) => {
      if (one.outcome === "missing") return promptLine`- ${one.name}: its program is not on this machine.`;
      if (one.outcome === "timed-out") return promptLine`- ${one.name}: it takes longer than it may.`;
      if (one.outcome === "could-not-run")
        return promptLine`- ${one.name} (\`${one.command}\`): it could not run: ${one.why ?? "its report lists no test that ran"}. It proves nothing until it runs, and then every failure counts.`;
      return one.failures === null
        ? promptLine`- ${one.name} (\`${one.command}\`): it failed, and its report names nothing. Read it yourself, so that you break nothing more; once it has passed, it counts.`
        : promptLine`- ${one.name}: ${fewNames(one.failures, 30)}`;
    }),
  ];
}

/** The project's checks, for planning. */
export function checkLinesForPlan(run: Pick<Run, "facts">): readonly PromptText[] {
  const { look, leftOut, isSettled } = run.facts.preflight;
  if (look === null)
    return isSettled ? [] : [promptLine`The project's checks run on the base while you plan.`];
  const chosen = chosenChecks(look, leftOut);
  if (chosen.length === 0) return [promptLine`Nothing checks the work: no check was found that can run.`];
  return chosen.map((one) =>
    one.outcome === "passed"
      ? promptLine`- \`${one.command}\` passes.`
      : promptLine`- \`${one.command}\` is red already (${outcomeText[one.outcome]}${one.failures === null ? "" : `: ${fewNames(one.failures, 10)}`}). It counts only when more fails; plan no repair of it unless the goal asks for it.`,
  );
}

/** The checks that judge a worker's files. */
export const checkRunner = (run: Run, worker: string, place: CheckoutHandle): CheckRunner =>
  place.checks({
    ...checkOptions(run, roles[run.worker(worker).record.role].canIntegrate),
    foundIn: checksPlace(run, worker),
    history: run.worker(worker).record.checkRounds,
  });

/** Where the checks of a worker are found: its parent's files, which it cannot write. */
const checksPlace = (run: Run, worker: string): CheckoutHandle => {
  const { parent } = run.worker(worker).record;
  return (parent === null ? null : run.workspaces.of(parent)) ?? run.workspaces.home();
};

/** Which they are, as far as they are known before its own files are looked at. */
export async function checksOf(run: Run, worker: string): Promise<Checks> {
  const { fastChecks, slowChecks, base } = checkOptions(run);
  const isLeft = (command: string): boolean => base?.leftOut.includes(command) !== true;
  const found = fastChecks && slowChecks ? null : await checksPlace(run, worker).foundChecks(base?.chosen);
  return {
    fast: (fastChecks ?? found?.fast ?? []).filter(isLeft),
    slow: (slowChecks ?? found?.slow ?? []).filter(({ command }) => isLeft(command)),
  };
}

/**
 * Checks of a commit where nothing of the agent's folder can help it: in a fresh checkout. (HYLO-6)
 *
 * Runs every check on exactly the files of a commit, after the set-up commands of the repository, or returns what the same
 * files had shown. Takes one of the places at which agents work, so that many finished tasks do not run their checks all at
 * once.
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
  return checkOnce(run, { worker, commit, options: () => checkOptions(run) }, () =>
    checkInCheckout(run, worker, commit, signal),
  );
}

async function checkInCheckout(
  run: Run,
  worker: string,
  commit: string,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
  const release = await run.slots.take(worker, cancelled).catch(() => {
    throw new Interrupted();
  });
  try {
    if (run.isPausedOrOver()) throw new Interrupted();
    run.setActivity(worker, "checking", "running checks in a fresh checkout");
    const places = await run.workspaces.checkouts(commit, {
      signal: cancelled,
      setUpFor: { worker, signal: cancelled },
    });
    try {
      const place = await places.checkout();
      run.setActivity(worker, "checking", "running checks in a fresh checkout");
      const results = await place.checks({ ...checkOptions(run), foundIn: run.workspaces.home() }).run({
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
