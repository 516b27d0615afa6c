import { cardName } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict.ts";
import { placeName } from "#shared/domain/decision/compliance.ts";
import { pullRequestState } from "#shared/domain/landing/publication.ts";
import { collisionId, formatOrder } from "#shared/domain/radar/collisions.ts";
import { formatCrowd } from "#shared/domain/radar/radar.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/prices.ts";
import { formatBytes } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { readStatus, type StatusFile } from "../../api/status-file.ts";
import { type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { show } from "../output.ts";
import { jjRootOf, stateFolderOf } from "../repository.ts";
import { cardText } from "../run/decide.ts";
import {
  continueAnyway,
  formatActivity,
  formatVerdict,
  missingLines,
  phaseName,
  preflightLines,
  seatLines,
  spentText,
  trustLines,
  waitText,
} from "../run/progress.ts";

/** Reads what the working host last wrote, so that it answers while the app is open as well. */
export async function status(options: CommonOptions): Promise<ExitCode> {
  const found = await readStatus(stateFolderOf(await jjRootOf(options)));
  show(options, found ?? { at: null, pid: null, run: null, otherRuns: [], inbox: [] }, statusLines(found));
  return exitCode.done;
}

/** What the workspaces take, as far as it was counted. */
function diskLine({ workers }: RunView): readonly string[] {
  const counted = workers.flatMap(({ workspace, diskBytes }) =>
    workspace === null ? [] : (diskBytes ?? []),
  );
  if (counted.length === 0) return [];
  const bytes = counted.reduce((sum, one) => sum + one, 0);
  return [
    `disk: ${formatBytes(bytes)} in ${counted.length} ${counted.length === 1 ? "workspace" : "workspaces"}`,
  ];
}

/** Whose work does not follow a decision yet, and where a merge conflict comes from. */
const contradictionLines = ({ decisions, workers }: RunView): readonly string[] => [
  ...decisions.flatMap(({ title, compliance }) =>
    compliance
      .filter(({ state }) => state === "contradicts")
      .map(
        ({ worker, places }) =>
          `decision: ${worker} contradicts "${shownLine(title)}" in ${places.map(placeName).join(", ")}`,
      ),
  ),
  ...workers.flatMap(({ name, conflictsWith }) =>
    conflictsWith.map(
      ({ worker, files }) =>
        `conflict: ${name} with the merged work of ${worker} in ${files.map(shownName).join(", ")}`,
    ),
  ),
  ...workers.flatMap(({ name, conflict, conflictCause }) =>
    conflict === "merge" && conflictCause
      ? [
          `conflict: ${name} since "${shownLine(conflictCause.description)}" by ${shownLine(conflictCause.actor)} (operation ${conflictCause.operation.slice(0, 12)})`,
        ]
      : [],
  ),
];

/** Where the result is on a forge. */
const pullRequestLines = ({ publication }: RunView): readonly string[] =>
  publication === undefined
    ? []
    : [
        ...publication.parts.map(
          (part) =>
            `pull request${part.pullRequest === null ? "" : ` #${part.pullRequest.number}`}: ${shownLine(part.title)} (${pullRequestState(part)})`,
        ),
        ...(publication.problem === null ? [] : [`pull requests: ${shownLine(publication.problem)}`]),
      ];

/** The number of unresolved comments. */
function commentLines({ comments }: RunView): readonly string[] {
  const open = comments.filter(({ isResolved, isOutdated }) => !isResolved && !isOutdated).length;
  return open === 0 ? [] : [`comments: ${open} open (list them: hox comments)`];
}

export function statusLines(status: StatusFile | null): readonly string[] {
  if (!status?.run) return ['No runs in this repository yet. Start one: hox run --goal "…"'];
  const { inbox, pid } = status;
  const all = [status.run, ...status.otherRuns.filter(({ endedAt }) => endedAt === null)];
  const isOne = all.length === 1;
  const width = Math.max(0, ...inbox.map((item) => cardName(item).length));
  return [
    ...all.toReversed().flatMap((run) => [...runLines(run, pid, isOne), ...(isOne ? [] : [""])]),
    ...(inbox.length === 0
      ? []
      : [`inbox: ${inbox.length} ${inbox.length === 1 ? "decision waits" : "decisions wait"}`]),
    ...inbox.map((item) => {
      const root = isOne ? "" : `${all.find(({ id }) => id === item.run)?.root ?? ""}: `;
      return `  ${cardName(item).padEnd(width)}  ${root}${cardText(item).split("\n")[0] ?? item.kind}`;
    }),
    ...(inbox.length === 0 ? [] : ["  List them and their answers: hox answer"]),
  ];
}

/** What was done about two agents that would conflict. */
function orderText({ collisions }: RunView, a: string, b: string): string {
  const known = collisions.find(({ id }) => id === collisionId(a, b));
  const text = known ? formatOrder(known) : "";
  return text === "" ? "" : ` (${text})`;
}

function runLines(run: RunView, pid: number | null, isOne: boolean): readonly string[] {
  const over = run.endedAt !== null;
  return [
    `${isOne ? "" : `${run.root}: `}${shownLine(run.goal)}`,
    `${run.stage}${run.paused === "no" ? "" : `, ${run.paused}`}${over ? "" : pid === null ? `, not running; resume with \`${run.isWatch ? "hox archangels watch" : "hox run"}\`` : `, running (process ${pid})`}`,
    ...(run.preflight ? preflightLines(run.preflight) : []),
    // A judge has no task: its reason is listed with the verdict.
    ...run.workers
      .filter(({ role }) => roles[role].isListed)
      .map(
        (worker) =>
          `  ${worker.name.padEnd(12)} ${worker.status.padEnd(12)} ${shownLine(formatActivity(worker, run) || worker.title)}` +
          `${worker.conflict === "none" ? "" : ` (${conflictLabel(worker.conflict)})`}`,
      ),
    ...(over
      ? []
      : [
          ...run.radarCrowds.map(
            (crowd) => `radar: ${formatCrowd(crowd)} (${crowd.workers.map(shownName).join(", ")})`,
          ),
          ...run.radar.map(
            ({ a, b, files }) =>
              `radar: ${a} and ${b} both change ${files.map(shownName).join(", ")}${orderText(run, a, b)}`,
          ),
        ]),
    ...(over ? [] : contradictionLines(run)),
    ...commentLines(run),
    ...(run.providerLimit && !over ? [waitText(run.providerLimit)] : []),
    ...run.phaseVerdicts.flatMap((phase) => [
      `${phaseName(phase)}: ${formatVerdict(phase.validation, continueAnyway)}`,
      ...seatLines(phase.validation.seats).map((line) => `  ${line}`),
    ]),
    ...(run.validation
      ? [
          `verdict: ${formatVerdict(run.validation)}`,
          ...[...seatLines(run.validation.seats), ...trustLines(run.validation, run.trust)].map(
            (line) => `  ${line}`,
          ),
        ]
      : []),
    ...missingLines(run).map((line) => `missing: ${line}`),
    ...pullRequestLines(run),
    `budget: ${spentText(run)}`,
    ...(over ? [shownLine(overheadLine(splitSpending(run.workers, run.budget.byWorker)))] : []),
    ...diskLine(run),
  ];
}
