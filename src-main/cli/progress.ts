import type { FirstLookView, OrchestratorView, RunView, WorkerView } from "#shared/contract/views/run.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict.ts";
import { type ProviderWait, providerWaitLine } from "#shared/domain/conversation/provider-wait.ts";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { formatWaitsForSlot, waitsForPlace } from "#shared/domain/worker/roles.ts";
import { formatWorkflow, isSameWorkflow, workflowReasons } from "#shared/domain/workflow/workflow.ts";
import { phaseVoteLines, voteLines } from "./verdict-lines.ts";

/** Lines for the terminal when a run changes from one view to the next. */
export function progressLines(before: RunView | null, after: RunView): readonly string[] {
  const lines: string[] = [];
  if (before?.stage !== after.stage)
    lines.push(`== ${after.stage}${after.attempt > 0 ? ` (repair ${after.attempt})` : ""}`);
  lines.push(...partLines(before, after), ...workflowLines(before, after));
  const look = after.firstLook;
  if (look?.isSettled && !before?.firstLook?.isSettled) lines.push(...firstLookLines(look));
  const known = new Map(before?.workers.map((worker) => [worker.name, worker]));
  for (const worker of after.workers) lines.push(...workerLines(known.get(worker.name), worker, after));
  lines.push(...commentLines(before, after));
  lines.push(...waitLines(before?.providerLimit ?? null, after.providerLimit ?? null));
  lines.push(...phaseVoteLines(before, after), ...voteLines(before, after));
  if (before?.budget.state !== after.budget.state && after.budget.state !== "ok") {
    lines.push(`   budget ${after.budget.state}: ${spentText(after)}`);
  }
  return lines;
}

/** New comments of archangels in a watch, which has no other output. */
function commentLines(before: RunView | null, { isWatch, comments }: RunView): readonly string[] {
  if (!isWatch) return [];
  const known = new Set(before?.comments?.map(({ id }) => id));
  return comments.flatMap(({ id, path, line, text }) =>
    known.has(id)
      ? []
      : [
          `   ${id}  ${path === null ? "" : `${shownName(path)}${line === null ? "" : `:${line}`}  `}${shownLine(startOf(text, 300))}`,
        ],
  );
}

/** The kind of project and its checks' results before the run. */
export const firstLookLines = ({ commitId, lines }: FirstLookView): readonly string[] => [
  `-- preflight of ${commitId.slice(0, 12)}`,
  ...lines.map((line) => `   ${shownLine(line).slice(0, 300)}`),
];

/** How the parts that orchestrators below the root lead go forward. */
function partLines(before: RunView | null, after: RunView): readonly string[] {
  const known = new Map(before?.orchestrators.map((part) => [part.name, stepOf(part)]));
  return after.orchestrators
    .filter((part) => part.parent !== null && part.stage !== "idle" && known.get(part.name) !== stepOf(part))
    .map((part) => `-- ${part.name} ${stepOf(part)}: ${shownLine(part.title)}`);
}

/** The workflow, once it is decided and when it changes. */
function workflowLines(before: RunView | null, after: RunView): readonly string[] {
  const known = new Map(before?.orchestrators.map((part) => [part.name, part.workflow]));
  return after.orchestrators.flatMap(({ name, workflow }) =>
    !workflow || isSameWorkflow(known.get(name) ?? null, workflow)
      ? []
      : [
          `   ${name.padEnd(12)} ${formatWorkflow(workflow)}`,
          ...workflowReasons(workflow).map((line) => `   ${"".padEnd(12)} ${shownLine(line)}`),
        ],
  );
}

const stepOf = ({ stage, phase }: OrchestratorView): string =>
  stage !== "executing" ? stage : phase === 0 ? "contracts" : `phase ${phase}`;

/** What a worker does, as it says it itself; what it waits for with what ends that. */
export const formatActivity = ({ activity }: WorkerView, run: RunView): string =>
  activity === waitsForPlace ? formatWaitsForSlot(run, "terminal") : activity;

function workerLines(before: WorkerView | undefined, after: WorkerView, run: RunView): string[] {
  const lines: string[] = [];
  const say = (text: string): void => {
    lines.push(`   ${after.name.padEnd(12)} ${startOf(shownLine(text).replace(/\s+/gu, " "), 160)}`);
  };
  if (!before && after.title) say(after.title);
  if (after.conflict !== "none" && before?.conflict !== after.conflict) say(conflictLabel(after.conflict));
  const full = fullOf(after);
  if (full !== null && (!before || fullOf(before) === null)) say(`${full} % of the context window used`);
  if (after.activity !== "" && before?.activity !== after.activity) say(formatActivity(after, run));
  if (before && before.status !== after.status && after.status === "done") say("done");
  return lines;
}

const fullOf = ({ contextTokens, contextWindow }: WorkerView): number | null =>
  fullPercent(contextTokens, contextWindow);

/** A pause by the provider: an outage is printed once, however often it is retried. */
function waitLines(before: ProviderWait | null, after: ProviderWait | null): readonly string[] {
  if (after === null)
    return before?.kind === "outage" ? ["   The provider responds again; all agents resume."] : [];
  const isSame =
    before?.kind === after.kind &&
    (after.kind === "outage" ? before.since === after.since : before.until === after.until);
  if (isSame) return [];
  return [
    `   ${waitText(after)}`,
    ...(after.kind === "outage" && after.remedy ? [`   ${shownLine(after.remedy)}`] : []),
    ...(after.until === null ? [] : ["   To retry now, run `hox resume` in another terminal."]),
  ];
}

/** A pause by the provider, as text. */
export const waitText = (wait: ProviderWait): string =>
  shownLine(providerWaitLine(wait, (at) => new Date(at).toLocaleTimeString("en-GB")));

/** What was not checked, or is as red as it was, lands with a word. */
export function formatLandedVerdict({ validation }: RunView): string {
  // A rehearsal may land without a verdict.
  if (validation === null) return "";
  if (validation.checks.length === 0) return ", unchecked: no check ran";
  const known = validation.checks
    .filter(({ outcome }) => outcome === "known-failure")
    .map(({ name }) => shownLine(name));
  const unproven = validation.checks
    .filter(({ outcome }) => outcome === "unproven")
    .map(({ name }) => shownLine(name));
  return [
    ...(known.length === 0 ? [] : [`; already failing before this run: ${known.join(", ")}`]),
    ...(unproven.length === 0 ? [] : [`; not covered by a check: ${unproven.join(", ")}`]),
  ].join("");
}

/** Dollars and tokens so far, with their limits. */
export function spentText({ budget, watchBudget, endedAt }: RunView): string {
  const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(2)}`;
  const limit = (text: string | null): string => (text === null ? "" : ` of ${text}`);
  const money = `${dollars(budget.spent.microDollars)}${limit(budget.limitMicroDollars === null ? null : dollars(budget.limitMicroDollars))}`;
  const tokens = `${totalTokens(budget.spent.usage).toLocaleString("en")}${limit(budget.limitTokens?.toLocaleString("en") ?? null)} tokens`;
  const today =
    watchBudget && endedAt === null
      ? `; today ${dollars(watchBudget.microDollars)} of ${dollars(watchBudget.limit)}`
      : "";
  return `${money}, ${tokens}${today}`;
}
