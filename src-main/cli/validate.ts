/** `hox validate`: a panel judges any change; `--calibrate` measures the panel. */

import type { CalibrationForecast, CalibrationView } from "#shared/contract/views/calibration.ts";
import type { ChangeValidation, JudgingEnd, Progress } from "#shared/contract/views/change-validation.ts";
import { outcomeText } from "#shared/domain/project/known-failures.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { type Spent, totalTokens } from "#shared/domain/spending/usage.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { rateWords, worthWords } from "#shared/domain/validation/panel-trust.ts";
import { asksModels } from "./asks-models.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printError, printJson } from "./output.ts";
import { type RunClient, withRunClient } from "./run-client.ts";
import { verdictLines } from "./verdict-lines.ts";

interface ValidateOptions extends CommonOptions {
  readonly goal?: string;
  readonly from?: string;
  readonly calibrate?: boolean;
  readonly change?: string;
  readonly perKind?: number;
  readonly maxTokens?: number | "none";
  readonly maxBudgetUsd?: number | "none";
  readonly yes?: boolean;
}

export async function validate(change: string | undefined, options: ValidateOptions): Promise<ExitCode> {
  refuseMixed(change, options);
  const cancel = new AbortController();
  const interrupt = (): void => cancel.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await withRunClient(
      options,
      (client) =>
        options.calibrate
          ? calibrate(client, change, options, cancel.signal)
          : judge(client, change ?? "", options, cancel.signal),
      asksModels,
    );
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function refuseMixed(change: string | undefined, options: ValidateOptions): void {
  const usage = (message: string, remedy: string): CommandError =>
    new CommandError(message, remedy, exitCode.usage);
  if (options.calibrate) {
    if (change !== undefined && options.change !== undefined)
      throw usage("Two changes are named.", "hox validate --calibrate --change <revset>");
    if (options.goal !== undefined || options.from !== undefined)
      throw usage(
        "A calibration has no --goal and no --from.",
        "Leave them out: the commit is as good as it says.",
      );
    return;
  }
  if (options.change !== undefined || options.perKind !== undefined)
    throw usage("--change and --per-kind go with --calibrate.", "hox validate <change>");
  if (change === undefined || change.trim() === "")
    throw usage("No change is named.", "hox validate @-, or hox validate --calibrate");
}

const orNull = (limit: number | "none"): number | null => (limit === "none" ? null : limit);
const limitsIn = ({ maxTokens, maxBudgetUsd }: ValidateOptions) => ({
  ...(maxTokens === undefined ? {} : { maxTokens: orNull(maxTokens) }),
  ...(maxBudgetUsd === undefined ? {} : { maxMicroDollars: orNull(maxBudgetUsd) }),
});

/** Follows it to its end; Ctrl-C takes it back and waits until nothing of it is left. */
async function follow<T extends { readonly end: JudgingEnd | null }>(
  more: (after: number) => Promise<Progress<T>>,
  cancel: () => Promise<void>,
  show: (before: T | null, value: T) => void,
  signal: AbortSignal,
): Promise<T> {
  let last: T | null = null;
  const stop = (): void => {
    // What it came to is heard by whoever follows.
    cancel().catch((error: unknown) => printError(error instanceof Error ? error.message : String(error)));
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let version = 0; ; ) {
      const progress: Progress<T> = await more(version);
      version = progress.version;
      show(last, progress.value);
      last = progress.value;
      if (progress.value.end !== null) return progress.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const spentWords = ({ microDollars, usage }: Spent): string =>
  `$${(microDollars / 1e6).toFixed(4)}, ${totalTokens(usage).toLocaleString("en")} tokens`;

async function judge(
  client: RunClient,
  change: string,
  options: ValidateOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { id } = await client.execute("change.validate", {
    change,
    goal: options.goal ?? null,
    from: options.from ?? null,
    ...limitsIn(options),
  });
  const last = await follow(
    (after) => client.execute("change.validateMore", { id, after }),
    () => client.execute("change.cancelValidate", { id }),
    (before, value) => {
      if (!options.json) for (const line of validationLines(before, value)) print(line);
    },
    signal,
  );
  const code = codeOf(last);
  if (options.json) printJson({ kind: "validation", ...last, code });
  else {
    print(`Spent ${spentWords(last.spent)}.`);
    tellEnd(last.end, "The verdict is open.");
  }
  return code;
}

function validationLines(before: ChangeValidation | null, after: ChangeValidation): readonly string[] {
  const lines: string[] = [];
  if (before === null) {
    const limit = describeBudget(after.limit);
    lines.push(
      `${after.changeId.slice(0, 12)} ${shownLine(after.title)}`,
      `   ${counted(after.panel.seats.length, "seat")} of ${shownLine([...new Set(after.panel.seats.map(({ model }) => model))].join(", "))}; spends ${limit === "" ? "without a limit (--max-budget-usd 5 sets one)" : limit}`,
    );
  }
  if (after.activity !== "" && before?.activity !== after.activity)
    lines.push(`   ${shownLine(after.activity)}`);
  if (after.validation === null) return lines;
  if (before === null || before.validation === null)
    lines.push(
      ...after.validation.checks.map(
        ({ name, outcome }) => `   check ${shownLine(name)}: ${outcomeText[outcome]}`,
      ),
      ...(after.validation.notes ?? []).map((note) => `   ${shownLine(note)}`),
    );
  return [...lines, ...verdictLines(before?.validation ?? null, after.validation, after.trust)];
}

/** Approved, or not: whatever left it open is told apart. */
function codeOf({ end, validation }: ChangeValidation): ExitCode {
  switch (end?.kind) {
    case "done":
      return validation?.verdict === "approved" ? exitCode.done : exitCode.rejected;
    case "budget":
      return exitCode.budget;
    case "cancelled":
      return exitCode.interrupted;
    default:
      return exitCode.error;
  }
}

function tellEnd(end: JudgingEnd | null, open: string): void {
  switch (end?.kind) {
    case "budget":
      printError(`The budget is spent. ${open} Raise it with --max-budget-usd or --max-tokens.`);
      break;
    case "cancelled":
      printError(`Cancelled; nothing is left behind. ${open}`);
      break;
    case "failed":
      printError(`${end.message}\n${end.remedy}`);
      break;
  }
}

async function calibrate(
  client: RunClient,
  change: string | undefined,
  options: ValidateOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const input = {
    change: options.change ?? change ?? null,
    perKind: options.perKind ?? 2,
    ...limitsIn(options),
  };
  const forecast = await client.execute("calibration.forecast", input);
  if (options.json) printJson({ kind: "forecast", ...forecast });
  else for (const line of forecastLines(forecast)) print(line);
  await consent(options, `Run ${counted(forecast.votes, "validation")}?`);
  if (signal.aborted) return exitCode.interrupted;
  const { id } = await client.execute("calibration.begin", input);
  const last = await follow(
    (after) => client.execute("calibration.more", { id, after }),
    () => client.execute("calibration.cancel", { id }),
    (before, value) => {
      if (!options.json) for (const line of calibrationLines(before, value)) print(line);
    },
    signal,
  );
  const code = endCode(last.end);
  if (options.json) printJson({ kind: "calibration", ...last, code });
  else {
    if (last.end?.kind === "done") for (const line of figureLines(last)) print(line);
    print(`Spent ${spentWords(last.spent)}.`);
    tellEnd(last.end, "What was judged is kept: the same command goes on there.");
  }
  return code;
}

const endCode = (end: JudgingEnd | null): ExitCode =>
  end?.kind === "done"
    ? exitCode.done
    : end?.kind === "budget"
      ? exitCode.budget
      : end?.kind === "cancelled"
        ? exitCode.interrupted
        : exitCode.error;

function forecastLines(forecast: CalibrationForecast): readonly string[] {
  const { title, changeId, panel, planted, controls, builtIn, judged, votes, paidVotes, limit } = forecast;
  const budget = describeBudget(limit);
  return [
    `${changeId.slice(0, 12)} ${shownLine(title)}: taken for good, as it is`,
    `   ${counted(planted, "commit")} with a mistake and ${controls} without, judged by ${counted(panel.seats.length, "seat")} of ${shownLine([...new Set(panel.seats.map(({ model }) => model))].join(", "))}`,
    ...(builtIn.length === 0
      ? []
      : [`   No place there for: ${builtIn.join(", ")}. The sample that comes with Hox takes its place.`]),
    ...(judged === 0 ? [] : [`   ${counted(judged, "commit")} of it were judged before it was cut off.`]),
    `   ${counted(votes, "vote")}, about $${(forecast.microDollars / 1e6).toFixed(2)} (${paidVotes === 0 ? "guessed by what is shown: no vote was paid here yet" : `as ${counted(paidVotes, "vote")} cost here`}); spends ${budget === "" ? "without a limit (--max-budget-usd 5 sets one)" : budget}`,
  ];
}

function calibrationLines(before: CalibrationView | null, after: CalibrationView): readonly string[] {
  const lines: string[] = [];
  if (after.activity !== "" && before?.activity !== after.activity)
    lines.push(`   ${shownLine(after.activity)}`);
  for (const [at, { planted, place, what, judged, isBuiltIn }] of after.samples.entries()) {
    if (judged === null || before === null || before.samples[at]?.judged !== null) continue;
    const sample = isBuiltIn ? " (Hox's sample)" : "";
    lines.push(
      planted === null
        ? `   ${judged.verdict.padEnd(10)} a good commit${sample}`
        : `   ${judged.verdict.padEnd(10)} ${planted}${sample}: ${shownLine(what).slice(0, 120)} in ${shownName(place)}`,
    );
  }
  return lines;
}

/** What was measured, of the panel and of each seat. */
function figureLines({ figures }: CalibrationView): readonly string[] {
  const { falseApprovals, falseRejections, seats, correlation, vetoed, undecided } = figures;
  const width = Math.max(0, ...seats.map(({ seat }) => seat.length));
  return [
    "",
    `False approvals  ${rateWords(falseApprovals)}`,
    `False rejections ${rateWords(falseRejections)}`,
    ...(vetoed === 0 ? [] : [`${counted(vetoed, "commit")} stopped by a check, before any seat was asked`]),
    ...(undecided === 0 ? [] : [`${counted(undecided, "commit")} left to a person`]),
    ...seats.map(
      (one) =>
        `   ${one.seat.padEnd(width)}  approves bad ones ${rateWords(one.falseApprovals)}, rejects good ones ${rateWords(one.falseRejections)}${one.lost === 0 ? "" : `, ${one.lost} without a vote`}`,
    ),
    `Errors go together by ${correlation === null ? "nobody knows how much" : correlation.toFixed(2)}: ${worthWords(figures)}.`,
    "Kept, and told beside every verdict from now on.",
  ];
}
