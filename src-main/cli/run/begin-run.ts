import type { BaseCommitView, RunBaseView } from "#shared/contract/commands/run.ts";
import type { StartIssueView } from "#shared/contract/commands/start.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { goalOfIdea, watchGoal } from "#shared/domain/archangel/archangel.ts";
import { formatForecast } from "#shared/domain/forecast/forecast.ts";
import { parseIssueReference } from "#shared/domain/forge/forge-address.ts";
import { type RunAgain, runAgain } from "#shared/domain/run/away-summary.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { untrustedLines } from "#shared/domain/start/goal-template.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { HostState } from "../../api/host-state.ts";
import { copyExample, rehearsalRefusal } from "../../api/rehearsals.ts";
import type { Engine } from "../../engine/engine-interface.ts";
import { createForges } from "../../forge/connect.ts";
import { systemForgeClock } from "../../forge/forge-http.ts";
import { readStartIssue } from "../../forge/start-issue.ts";
import { rehearsalNamed } from "../../rehearsals/rehearsals.ts";
import { CommandError, exitCode, folderOf, spendingLimits } from "../command-line.ts";
import { ideaNumbered } from "../command-table.ts";
import { ask } from "../consent.ts";
import { print, printError, printJson, show } from "../output.ts";
import { printUntrusted } from "../repo/config.ts";
import { suggestionLines } from "../repo/patterns.ts";
import { isRunNamed, noRunNamed, runLabel, runsIn, withRunClient } from "./run-client.ts";
import { isOver, type RunOptions } from "./run-outcome.ts";

/**
 * Opens the repository and resumes waiting runs, or starts a new one if its goal differs. @returns ids of the
 * runs to follow; null if another Hox works here and executes the new one
 */
export async function beginRun(state: HostState, given: RunOptions): Promise<readonly string[] | null> {
  refusePatternsUnread(given);
  const { rehearsal = null, orchestrators = null } = given;
  const refused = rehearsalRefusal({ rehearsal, orchestrators });
  if (refused) throw new CommandError(refused.message, refused.remedy, exitCode.usage);
  const isCopy = given.rehearsal !== undefined && given.repo === undefined;
  const path = isCopy ? await copyExample(state.stateFolder, given.rehearsal ?? "") : folderOf(given);
  const opened = Date.now();
  await state.open(path);
  if (given.takeOver) await state.takeOver();
  show(given, { kind: "opened", path }, `Repository: ${path}`);
  const options = await withIssue(state, given);
  if (state.opened().engine === null && options.goal !== undefined)
    return startElsewhere(options.goal, options).then(() => null);
  if (options.watch) return [await beginWatch(state.engine(), options)];
  const engine = state.engine();
  await askForTrust(engine, options);
  const { run: last } = engine.state();
  const going = runsIn(engine.state()).filter((run) => !isOver(run));
  const meant = meantIn(
    going.filter(({ isWatch, id, root }) => !isWatch || options.run === id || options.run === root),
    options,
  );
  if (meant.length > 0) return resumeRuns(engine, meant);
  if (last && endsByAnswer(last, opened) && !wantsAnother(options) && options.rehearsal === undefined)
    return [last.id];
  const again = options.again ? againAfter(last) : null;
  const idea =
    options.idea === undefined ? null : ideaNumbered(await engine.execute("ideas.list"), options.idea);
  const goal =
    options.goal ??
    (idea === null ? undefined : goalOfIdea(idea)) ??
    again?.goal ??
    (options.rehearsal === undefined ? undefined : rehearsalNamed(options.rehearsal).goal);
  if (goal === undefined || goal.trim() === "") {
    throw new CommandError(
      "No active run in this repository, and no goal given.",
      'Give a goal: hox run --goal "…"',
      exitCode.usage,
    );
  }
  const base = options.onto ?? again?.onto ?? (isCopy ? null : await chooseBase(engine, options));
  const begins = { goal: goal.trim(), ...(idea === null ? {} : { idea: idea.id }) };
  return [await startRun(engine, begins, base, options)];
}

/** What a run begins with, and the issue that it begins from. */
type StartOptions = RunOptions & { readonly start?: StartIssueView };

/** Reads the issue that --issue names; its title is the goal, unless --goal says another one. */
async function withIssue(state: HostState, options: RunOptions): Promise<StartOptions> {
  const { issue: named, goal, linkIssue } = options;
  if (named === undefined && linkIssue)
    throw new CommandError(
      "--link-issue needs an issue.",
      "Name it with --issue, for example: hox run --issue 33 --link-issue",
      exitCode.usage,
    );
  if (named === undefined) return options;
  const reference = parseIssueReference(named);
  if (reference === null)
    throw new CommandError(
      `"${shownLine(startOf(named, 80))}" is no issue.`,
      "Give a number such as 33, or a URL such as https://github.com/owner/name/issues/33.",
      exitCode.usage,
    );
  const { repository } = state.opened();
  const forges = createForges({ env: process.env, clock: systemForgeClock });
  const start = await readStartIssue(forges, await repository.remotes(), reference);
  const { isOpen, issue } = start;
  show(
    options,
    { kind: "issue", ...issue, isOpen },
    `Issue: ${shownLine(issue.title)}${isOpen ? "" : " (closed)"}, ${shownLine(issue.url)}`,
  );
  return { ...options, goal: goal ?? start.goal, start };
}

/**
 * The default branch to build and land on: it is shown to the user, and confirmed if it is not the main one.
 */
async function chooseBase(engine: Engine, options: RunOptions): Promise<string | null> {
  const found = await engine.execute("run.base");
  const { standsOn, trunk } = found;
  if (options.json) printJson({ kind: "base", branch: standsOn, ...found });
  if (standsOn === null) return options.json ? null : baseOf(found);
  const elsewhere = trunk !== null && trunk !== standsOn;
  if (!options.json)
    print(
      `Builds and lands on ${shownName(standsOn)}, your current branch.${elsewhere ? ` (for the main branch: --onto ${shownName(trunk)})` : ""}`,
    );
  if (!elsewhere || options.json || !process.stdin.isTTY) return null;
  const answer = (await ask(`${standsOn} or ${trunk}? [${standsOn}] `)).trim();
  if (answer === "" || answer === standsOn) return null;
  if (answer === trunk) return trunk;
  throw new CommandError(
    `"${answer}" is not one of the two branches.`,
    "For another change, use --onto.",
    exitCode.usage,
  );
}

/** The same for a detached HEAD: the user's commits may not be in the base. */
async function baseOf({ trunk, base, leftOut }: RunBaseView): Promise<string | null> {
  // The start says that there is nothing to build on.
  if (base === null) return null;
  const lands = trunk === null ? "you choose the branch when it lands" : `lands on ${shownName(trunk)}`;
  print(`Builds on ${formatBaseCommit(base)}; ${lands}.`);
  if (leftOut === null) return null;
  print(
    `You are on ${formatBaseCommit(leftOut)}, which is not in it. (to build on it: --onto ${leftOut.changeId.slice(0, 12)})`,
  );
  if (!process.stdin.isTTY) return null;
  const answer = (await ask("Build on your current commit instead? [y/N] ")).trim().toLowerCase();
  return ["y", "yes"].includes(answer) ? leftOut.changeId : null;
}

const formatBaseCommit = ({ changeId, commitId, title }: BaseCommitView): string =>
  `${changeId.slice(0, 8)} ${commitId.slice(0, 8)}${title === "" ? "" : ` "${shownLine(startOf(title, 60))}"`}`;

/** The watch that an earlier process left, or a new one. */
async function beginWatch(engine: Engine, options: RunOptions): Promise<string> {
  await askForTrust(engine, options);
  const going = runsIn(engine.state()).filter((one) => !isOver(one));
  const left = going.find(({ isWatch }) => isWatch);
  if (left) await resumeRuns(engine, [left]);
  const { run: id } = left ? { run: left.id } : await engine.execute("run.start", watchInput(options));
  if (!options.json) {
    print("Archangels review each turn of your other agents in this repository. Press Ctrl-C to stop.");
    const others = going.filter(({ isWatch }) => !isWatch);
    if (others.length > 0) print(`Also active here: ${others.map(runLabel).join(", ")}.`);
  }
  return id;
}

const watchInput = (options: RunOptions) => ({ ...startInput(options, null), goal: watchGoal, watch: true });

/**
 * Settings of the repository that loosen the user's limits need their approval; without a terminal they are
 * only listed.
 */
async function askForTrust(engine: Engine, options: RunOptions): Promise<void> {
  const { untrusted } = await engine.execute("start.choices");
  const asked = untrusted.filter(({ isIgnored }) => !isIgnored);
  if (asked.length === 0) return;
  if (options.json || !process.stdin.isTTY) return printUntrusted(asked, options);
  for (const line of untrustedLines(asked)) print(line);
  const isTrusted = /^y(es)?$/iu.test((await ask("Trust these settings? [y/N] ")).trim());
  await engine.execute("start.answerSettings", {
    texts: asked.map(({ text }) => text),
    answer: isTrusted ? "trust" : "ignore",
  });
}

/** The runs to resume: all waiting ones, or the one named by --run or by its goal. None: start a new one. */
function meantIn(going: readonly RunView[], options: RunOptions): readonly RunView[] {
  const { run: name, goal } = options;
  if (name !== undefined) {
    const found = going.filter((run) => isRunNamed(run, name));
    if (found.length > 0) return found;
    throw noRunNamed(name, going);
  }
  // A waiting rehearsal resumes as it was started.
  if (!wantsAnother(options)) return going;
  return going.filter((run) => run.goal === goal?.trim());
}

/** Another Hox works on the repository: it carries the run out, and is asked by its local endpoint. */
const startElsewhere = (goal: string, options: StartOptions): Promise<void> =>
  withRunClient(options, async (client) => {
    const { run: id } = await client.execute("run.start", {
      ...startInput(options, options.onto ?? null),
      goal: goal.trim(),
      ...(options.watch ? { watch: true } : {}),
    });
    if (options.json) printJson({ kind: "started", run: id, live: true });
    else if (options.watch)
      print(
        "Started in the Hox process that has this repository open. To see comments: hox comments --run watch",
      );
    else
      print(
        "Started in the Hox process that has this repository open. Follow it with `hox status`, answer its cards with `hox answer`.",
      );
  });

/** An answer from another terminal may end it before it is shown, which is reported. */
const endsByAnswer = ({ endedAt }: RunView, opened: number): boolean => endedAt !== null && endedAt >= opened;

/** Before anything is opened: a gate that would not open is refused, and not passed over in silence. */
function refusePatternsUnread({ approve = [], rehearsal, ...options }: RunOptions): void {
  if (!approve.includes("patterns") || rehearsal !== undefined || !wantsAnother(options)) return;
  throw new CommandError(
    "--approve patterns works only in a rehearsal: later runs use a pattern, so you have to read it first.",
    "Remove patterns from --approve. The card appears at the end of the run; answer it with `hox answer`.",
    exitCode.usage,
  );
}

const wantsAnother = ({
  goal,
  issue,
  idea,
  again,
}: Pick<RunOptions, "goal" | "issue" | "idea" | "again">): boolean =>
  goal !== undefined || issue !== undefined || idea !== undefined || again === true;

async function resumeRuns(engine: Engine, runs: readonly RunView[]): Promise<readonly string[]> {
  for (const { id, paused } of runs)
    if (paused === "paused" || paused === "pausing") await engine.execute("run.resume", { run: id });
  return runs.map(({ id }) => id);
}

async function startRun(
  engine: Engine,
  begins: { readonly goal: string; readonly idea?: string },
  onto: string | null,
  options: StartOptions,
): Promise<string> {
  await printPatterns(engine, begins.goal, options);
  const { run: id } = await engine.execute("run.start", { ...begins, ...startInput(options, onto) });
  if ((options.attempts ?? 1) > 1 && !options.json)
    print(
      `${options.attempts} agents try each task in parallel and you choose one: expect about ${options.attempts} times the cost.`,
    );
  const { run } = engine.state();
  if (run !== null && !options.json) {
    print(formatSpendingLimits(run));
    if (run.rehearsal === null) await printForecast(engine, run.model);
  }
  return id;
}

const startInput = (options: StartOptions, onto: string | null) => ({
  orchestrators: options.orchestrators ?? null,
  ...spendingLimits(options),
  onto,
  rehearsal: options.rehearsal ?? null,
  model: options.model ?? null,
  ...(options.maxIterations === undefined ? {} : { maxIterations: options.maxIterations }),
  ...(options.attempts === undefined ? {} : { attempts: options.attempts }),
  ...(options.quick === undefined ? {} : { quick: options.quick }),
  ...(options.on === undefined ? {} : { on: options.on }),
  ...(options.validators === undefined ? {} : { validators: options.validators }),
  ...(options.start === undefined
    ? {}
    : {
        issue: { ...options.start.issue, ...(options.linkIssue ? { isLinked: true } : {}) },
        attachments: [options.start.attachment],
      }),
});

/** What earlier runs taught that fits the goal; nice to know, and no reason not to start. */
async function printPatterns(engine: Engine, goal: string, { json }: RunOptions): Promise<void> {
  try {
    const suggestions = await engine.execute("pattern.suggest", { goal });
    if (suggestions.length === 0) return;
    if (json) return printJson({ kind: "patterns", suggestions });
    print("Patterns from earlier runs, added to matching tasks:");
    for (const line of suggestions.flatMap(suggestionLines)) print(`   ${line}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    printError(`Patterns could not be read; the run continues without them: ${why}`);
  }
}

/** What the run may cost, before anything is paid. */
function formatSpendingLimits({ model, budget, rehearsal }: RunView): string {
  if (rehearsal !== null) return "Rehearsal: models are scripted, no cost.";
  const limit = describeBudget({ tokens: budget.limitTokens, microDollars: budget.limitMicroDollars });
  return `Model: ${shownLine(model)}; budget: ${limit === "" ? "no limit (set one with --max-budget-usd 5)" : `${limit} (change it with --max-budget-usd and --max-tokens)`}.`;
}

/** What a task usually costs with this model; nothing where no earlier run used it. */
async function printForecast(engine: Engine, model: string): Promise<void> {
  try {
    const { tasks } = await engine.execute("run.forecast");
    const found = tasks.find((one) => one.model === model);
    if (found) print(`${formatForecast(found)}.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    printError(`No cost estimate: earlier runs could not be read: ${why}`);
  }
}

function againAfter(last: RunView | null): RunAgain {
  const again = last && runAgain(last);
  if (again) return again;
  throw new CommandError(
    last ? `The run "${startOf(last.goal, 80)}" reached its goal.` : "No completed run in this repository.",
    'Start one: hox run --goal "…"',
    exitCode.usage,
  );
}
