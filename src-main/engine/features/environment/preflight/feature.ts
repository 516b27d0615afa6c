import type { AnswerTo } from "#shared/contract/cards.ts";
import {
  fewNames,
  type NamedChecks,
  type Preflight,
  type PreflightDecision,
  type PreflightState,
  reducePreflight,
} from "#shared/domain/project/preflight.ts";
import {
  chosenChecks,
  isSlow,
  preflightTroubles,
  projectLines,
  proposedChecks,
} from "#shared/domain/project/preflight-checks.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { section } from "#shared/domain/text/prompt-text.ts";
import { writeChecks } from "../../../../config/write-settings.ts";
import { Interrupted } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { warn, warnOf } from "../../../kernel/notify.ts";
import type { Card, Run, RunReader, Worker } from "../../../ports.ts";
import { lookAtBase } from "../../../project/look-at-base.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { baselineFailureLines } from "../../../workspaces/check-options.ts";
import { environmentOf } from "../../../workspaces/port-leases.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";

/** The project's preflight. */
export const preflight: Feature<Run> = {
  name: "preflight",
  agents: {
    prompt: {
      "baseline-failures": (run) => [section("Failing before the run", baselineFailureLines(run))],
    },
  },
};

/** What a user says of checks that keep failing. */
type ChecksChanged = Extract<PreflightDecision, { readonly kind: "leave-out" | "change-check" }>;

/**
 * The preflight, before a plan is approved: the kind of project, and its checks' results on the run's base.
 *
 * Runs the preflight, and asks the user if nothing would be checked, something fails already or takes too
 * long. Can restart: findings and decisions are in the journal.
 *
 * @param onRunning called before the first command runs: what is known without one is known by then
 * @returns false if the run was stopped instead
 */
export async function lookFirst(run: Run, signal: AbortSignal, onRunning = () => {}): Promise<boolean> {
  for (;;) {
    const { isSettled, look, leftOut, looks } = run.facts.preflight;
    if (isSettled) return true;
    const { preflight } = run.config.backpressure;
    if (look === null) {
      if (preflight === "off") run.append({ kind: "PreflightChanged", event: { kind: "Skipped" } });
      else {
        const found = await lookAtOnto(run, run.facts.preflight, signal, { onRunning });
        run.append({ kind: "PreflightChanged", event: { kind: "Looked", ...found } });
        if (!found.isKept) notifyMissing(run, found.look);
      }
      continue;
    }
    const troubles = preflightTroubles(look, leftOut);
    if (troubles.length === 0) {
      run.append({
        kind: "PreflightChanged",
        event: { kind: "Decided", decision: { kind: "go-on" }, by: "nobody" },
      });
      continue;
    }
    if (preflight === "auto") {
      run.append({
        kind: "PreflightChanged",
        event: { kind: "Decided", decision: { kind: "go-on" }, by: "settings" },
      });
      warn(
        run,
        `Preflight: ${formatTrouble(run)} The run continues; checks that already failed count only if they get worse.`,
        'To be asked first, set preflight = "ask" in [backpressure] of .hox/config.toml. For details, run `hox check`.',
      );
      continue;
    }
    run.setActivity(rootOf(run), "waiting", "waiting for you: preflight");
    const decision = await run.inbox.ask(`${run.id}/preflight/${looks}`, () => cardOf(run), signal);
    run.setActivity(rootOf(run), "sleeping", "");
    if (!(await executeDecision(run, decision))) return false;
  }
}

/**
 * Applies the user's choice about checks that keep failing during the run: a new command is tried on the base
 * first.
 */
export async function changeChecks(run: Run, decision: ChecksChanged, signal: AbortSignal): Promise<void> {
  const { look } = run.facts.preflight;
  const decided = { kind: "Decided", decision, by: "user" } as const;
  if (decision.kind === "leave-out" || look === null) {
    run.append({ kind: "PreflightChanged", event: decided });
    return;
  }
  const after = reducePreflight(run.facts.preflight, decided);
  const found = await lookAtOnto(run, after, signal, { known: look });
  run.journal.together(() =>
    run.append(
      { kind: "PreflightChanged", event: decided },
      { kind: "PreflightChanged", event: { kind: "Looked", ...found } },
      { kind: "PreflightChanged", event: { kind: "Decided", decision: { kind: "go-on" }, by: "user" } },
    ),
  );
}

/** @param known outcomes that count again, by command */
async function lookAtOnto(
  run: Run,
  before: PreflightState,
  signal: AbortSignal,
  { known = null, onRunning }: { readonly known?: Preflight | null; readonly onRunning?: () => void },
): Promise<{ readonly look: Preflight; readonly isKept: boolean }> {
  const { onto } = run.facts;
  if (onto === null) throw new Error("No base was chosen.");
  // While the orchestrator plans, that is what it is shown to do.
  const set = (state: Worker["state"], activity: string): void => {
    const root = rootOf(run);
    if (!["thinking", "tools"].includes(run.worker(root).state)) run.setActivity(root, state, activity);
  };
  try {
    return await lookAtBase(run, {
      commit: onto.commitId,
      keepsBuildCaches: true,
      given: before.given,
      changed: before.changed,
      known,
      // A repeated preflight is requested, so do not use the cached one.
      usesKept: before.looks === 0 || before.given !== null,
      environment: environmentOf(run, rootOf(run)),
      signal: AbortSignal.any([signal, run.runEnded.signal]),
      show: (activity) => set("checking", activity),
      async mayRun() {
        await requireSandbox(run);
        // Not allowed: the run has ended with that.
        if (isOver(run.state)) throw new Interrupted();
        onRunning?.();
      },
    });
  } finally {
    set("sleeping", "");
  }
}

/** A found check without its program is no failure, and is reported. */
function notifyMissing(run: Run, look: Preflight): void {
  const missing = look.checks.filter(({ outcome }) => outcome === "missing");
  if (missing.length === 0 || chosenChecks(look).length === 0) return;
  warn(
    run,
    `Checks that cannot run here: ${missing.map(({ name }) => name).join(", ")}. They do not count.`,
    missing.flatMap(({ name, remedy }) => (remedy ? [`${name}: ${remedy}`] : [])).join(" "),
  );
}

function formatTrouble(run: RunReader): string {
  const { look, leftOut } = run.facts.preflight;
  if (look === null) return "";
  const troubles = preflightTroubles(look, leftOut);
  const chosen = chosenChecks(look, leftOut);
  const names = (checks: typeof chosen): string => fewNames(checks.map(({ name }) => name));
  return [
    ...(troubles.includes("empty") ? ["no checks found that can run."] : []),
    ...(troubles.includes("unproven")
      ? [
          `cannot run: ${chosen.flatMap(({ name, outcome, why }) => (outcome === "could-not-run" ? [`${name} (${why})`] : [])).join(", ")}; Hox asks you before the result lands without ${chosen.length === 1 ? "it" : "them"}.`,
        ]
      : []),
    ...(troubles.includes("red")
      ? [
          `failing before the run: ${names(chosen.filter(({ outcome }) => outcome === "failed" || outcome === "missing"))}.`,
        ]
      : []),
    ...(troubles.includes("slow")
      ? [`slow: ${names(chosen.filter((one) => isSlow(one, look.timeoutSeconds)))}.`]
      : []),
  ].join(" ");
}

/** Names of failures that a card can show. */
const maxNames = 50;

function cardOf(run: RunReader): Extract<Card, { kind: "preflight" }> {
  const { look, leftOut } = run.facts.preflight;
  if (look === null) throw new Error("No preflight result.");
  return {
    kind: "preflight",
    commitId: look.commitId,
    troubles: preflightTroubles(look, leftOut),
    facts: projectLines(look),
    checks: look.checks.map((one) => ({
      name: one.name,
      command: one.command,
      speed: one.speed,
      reason: one.reason,
      outcome: one.outcome,
      ms: one.ms,
      isSlow: isSlow(one, look.timeoutSeconds),
      failures: one.failures?.slice(0, maxNames) ?? null,
      failureCount: one.failures?.length ?? null,
      output: one.output,
      ...(one.why === undefined ? {} : { why: one.why }),
      remedy: one.remedy,
    })),
    setUpFailures: look.setUpFailures,
    proposed: proposedChecks(look, leftOut),
  };
}

/** @returns false when the run is stopped */
async function executeDecision(run: Run, decision: AnswerTo<"preflight">): Promise<boolean> {
  const { look, leftOut } = run.facts.preflight;
  const append = (decided: PreflightDecision) =>
    run.append({ kind: "PreflightChanged", event: { kind: "Decided", decision: decided, by: "user" } });
  switch (decision.kind) {
    case "approve":
      if (decision.writeChecks && look) await propose(run, proposedChecks(look, leftOut));
      append({ kind: "go-on" });
      return true;
    case "leave-out":
      if (decision.writeChecks && look)
        await propose(run, proposedChecks(look, [...leftOut, ...decision.commands]));
      append({ kind: "leave-out", commands: decision.commands });
      return true;
    case "use-checks": {
      const checks: NamedChecks = {
        fast: decision.fast,
        slow: decision.slow.map((command) => ({ command, everyNIterations: 2 })),
      };
      if (decision.writeChecks) await propose(run, checks);
      append({ kind: "use-checks", checks });
      return true;
    }
    case "change-check":
      append(decision);
      return true;
    case "retry":
      append({ kind: "look-again" });
      return true;
    default:
      run.dispatch({ kind: "Stop", by: "user" });
      return false;
  }
}

/** The run uses the decision whether it could be written or not. */
async function propose(run: Run, checks: NamedChecks): Promise<void> {
  try {
    await writeChecks({ root: run.repository.root, stateFolder: run.stateFolder }, checks);
  } catch (error) {
    warnOf(run, error);
  }
}
