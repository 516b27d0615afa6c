/** `hox validate`: a panel judges any change, without a run. */

import type { ChangeValidation, JudgingEnd } from "#shared/contract/commands/validation.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { type Spent, totalTokens } from "#shared/domain/spending/usage.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { createApiKey } from "../../api/api-key.ts";
import { createDriver } from "../../api/start-engine.ts";
import { readSettings } from "../../config/settings.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { type CommonOptions, cancellable, type ExitCode, exitCode, spendingLimits } from "../command-line.ts";
import { print, printError, printJson } from "../output.ts";
import { verdictLines } from "../run/progress.ts";
import { type Asking, type RunClient, withRunClient } from "../run/run-client.ts";

interface ValidateOptions extends CommonOptions {
  readonly goal?: string;
  readonly from?: string;
  readonly maxTokens?: number | "none";
  readonly maxBudgetUsd?: number | "none";
}

export const validate = (change: string, options: ValidateOptions): Promise<ExitCode> =>
  cancellable(({ signal }) =>
    withRunClient(options, (client) => judge(client, change, options, signal), asksModels),
  );

/** For commands that call models without a running host: the user's settings and key. */
async function asksModels(): Promise<Asking> {
  const { settings } = await readSettings(defaultStateFolder());
  const key = createApiKey(undefined);
  await key.load();
  return {
    settings: () => settings,
    secrets: () => key.secrets(),
    async driverFor({ apiKeyEnv }) {
      key.readFrom(apiKeyEnv);
      return createDriver({ apiKey: key.get(), baseUrl: key.baseUrl });
    },
  };
}

/** Follows it to its end; Ctrl-C cancels it and waits until nothing of it is left. */
async function follow(
  client: RunClient,
  id: string,
  show: (before: ChangeValidation | null, value: ChangeValidation) => void,
  signal: AbortSignal,
): Promise<ChangeValidation> {
  let last: ChangeValidation | null = null;
  const stop = (): void => {
    // The result arrives with the progress below.
    client
      .execute("change.cancelValidate", { id })
      .catch((error: unknown) => printError(error instanceof Error ? error.message : String(error)));
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let version = 0; ; ) {
      const progress = await client.execute("change.validateMore", { id, after: version });
      version = progress.version;
      show(last, progress.value);
      last = progress.value;
      if (progress.value.end !== null) return progress.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const formatSpent = ({ microDollars, usage }: Spent): string =>
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
    ...spendingLimits(options),
  });
  const last = await follow(
    client,
    id,
    (before, value) => {
      if (!options.json) for (const line of validationLines(before, value)) print(line);
    },
    signal,
  );
  const code = codeOf(last);
  if (options.json) printJson({ kind: "validation", ...last, code });
  else {
    print(`Spent ${formatSpent(last.spent)}.`);
    printJudgingEnd(last.end);
  }
  return code;
}

function validationLines(before: ChangeValidation | null, after: ChangeValidation): readonly string[] {
  const lines: string[] = [];
  if (before === null) {
    const limit = describeBudget(after.limit);
    lines.push(
      `${after.changeId.slice(0, 12)} ${shownLine(after.title)}`,
      `   ${counted(after.panel.seats.length, "seat")} of ${shownLine([...new Set(after.panel.seats.map(({ model }) => model))].join(", "))}; budget: ${limit === "" ? "no limit (set one with --max-budget-usd 5)" : limit}`,
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

/** Approved or not; an open verdict has a separate code. */
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

function printJudgingEnd(end: JudgingEnd | null): void {
  switch (end?.kind) {
    case "budget":
      printError(
        "The budget is spent before the verdict was reached. Raise it with --max-budget-usd or --max-tokens.",
      );
      break;
    case "cancelled":
      printError("Cancelled, no verdict. Nothing was changed.");
      break;
    case "failed":
      printError(`${end.message}\n${end.remedy}`);
      break;
  }
}
