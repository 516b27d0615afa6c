import { Command, CommanderError, InvalidArgumentError } from "commander";
import { maxReportedRuns } from "#shared/contract/commands/report.ts";
import { messageTypes, priorities, statuses } from "#shared/domain/graph-words/metadata.ts";
import { reportKeys } from "#shared/domain/report/report-figures.ts";
import { stageModes, workflowStages } from "#shared/domain/workflow/workflow.ts";
import { version } from "../version.ts";
import { addArchangelCommands } from "./archangel-commands.ts";
import {
  CommandError,
  type ExitCode,
  exitCode,
  microDollars,
  oneLine,
  oneOf,
  orNone,
  wholeNumber,
  words,
} from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";
import { printError, printJson } from "./output.ts";
import { addRunCommands } from "./run-commands.ts";
import { addSteerCommands } from "./steer-commands.ts";

/** Each command's own code is loaded when it runs: `hox --help` and a typing error need none of it. */
function createProgram(end: (code: ExitCode) => void): Command {
  const program = new Command("hox")
    .description("Run several coding agents on one jj repository.")
    .configureHelp({ showGlobalOptions: true })
    .version(version(), "-V, --version")
    .exitOverride()
    .configureOutput({ writeErr: (text) => printError(text.replace(/\n$/u, "")) })
    .showHelpAfterError("Add --help to see usage.")
    .enablePositionalOptions();

  const list: CommandList = {
    command: (name, description) => withCommonOptions(program.command(name).description(description)),
    end,
  };
  // As the help lists them.
  addRunCommands(list);
  addGraphCommands(list);
  addSteerCommands(list);
  addPlanCommands(list);
  addResultCommands(list);
  addValidateCommand(list);
  addPatternCommands(list);
  addReplayCommands(list);
  addSessionCommands(list);
  addAgentsCommands(list);
  addArchangelCommands(list);
  addHostCommands(list);
  return program;
}

/** Commands for a run's result: cost, undo, push, and clean-up. */
function addResultCommands({ command, end }: CommandList): void {
  command(
    "metrics",
    "show what the run cost, per agent and as overhead; with --runs or --by, a report over several runs",
  )
    .option("--runs <n>", "number of newest runs to include (default: 50)", wholeNumber(1, maxReportedRuns))
    .option("--by <what>", `one row per ${reportKeys.join(", ")} (default: run)`, oneOf(reportKeys))
    .option("--csv", "print the report as CSV")
    .option("--compare-stores", "compare the metrics on changes with those in the database")
    .action(async (options) => end(await (await import("./metrics.ts")).metrics(options)));

  command("runs", "list all runs of this repository, newest first")
    .option("-n, --limit <n>", "number of newest runs to list (default: 20)", wholeNumber(1, maxReportedRuns))
    .action(async (options) => end(await (await import("./runs.ts")).runs(options)));

  command("report", "print a report of a run as Markdown: changes, decisions, work, votes, cost, open tasks")
    .argument("[run]", "run ID, the start of one, or `last` (default: last)", oneLine, "last")
    .action(async (run, options) => end(await (await import("./run-report.ts")).runReport(run, options)));

  command("orientation", "show the state of the run or of one worker: goal, plan, steps, decisions, branch")
    .option("--worker <name>", "for example agent-2 (default: the run)", oneLine)
    .action(async (options) => end(await (await import("./orientation.ts")).orientation(options)));

  command("undo", "undo the file changes of one agent")
    .argument("<agent>", "for example agent-2", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .option("--wait", "keep the agent paused instead of restarting it with the run")
    .action(async (agent, options) => end(await (await import("./undo.ts")).undo(agent, options)));

  command("undo-landing", "move the branch back to before the last run landed; the work stays in the graph")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./undo-landing.ts")).undoLanding(options)));

  command(
    "restore",
    "restore the whole repository to an earlier point, after a preview; all runs must be paused",
  )
    .requiredOption(
      "--to <moment>",
      "an operation from `jj op log`, a time (15:30, 2026-05-04T15:30), or an age (20m)",
      oneLine,
    )
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./restore.ts")).restore(options)));

  command("catch-up", "move your folder to what the last run landed; your own edits are kept as their change")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./catch-up.ts")).catchUp(options)));

  command("push", "push a bookmark to its remote, after a preview")
    .argument("[bookmark]", "default: your current branch, else main, master or trunk", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .option("--no-notes", "don't push run metadata in Git notes")
    .action(async (bookmark, options) => end(await (await import("./push.ts")).push(bookmark, options)));

  command(
    "clean",
    "delete workspaces, agent branches and messages left by ended runs; their work stays in its changes",
  )
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./clean.ts")).clean(options)));
}

/** The plan of a run, and editing it while the run is active. */
function addPlanCommands({ command, end }: CommandList): void {
  const plan = async () => import("./plan.ts");
  const planCommand = command("plan", "show the plan of the run, the progress of each task, and errors")
    .option("--orchestrator <name>", "whose plan (default: O-A-1)", oneLine)
    .action(async (options) => end(await (await plan()).showPlan(options)));
  const amendment = (name: string, description: string): Command =>
    withCommonOptions(planCommand.command(name).description(description)).option(
      "--orchestrator <name>",
      "whose plan (default: O-A-1)",
      oneLine,
    );

  amendment("add", "add a task; it gets an agent when its dependencies are done")
    .argument("<title>", "title of the task", oneLine)
    .option("--id <word>", "ID in the plan (default: from the title)", oneLine)
    .option("--phase <n>", "phase (default: the current one)", wholeNumber(1, 50))
    .option("--after <tasks>", "IDs of tasks that must finish first, separated by commas", words)
    .option("--files <paths>", "files it can change: paths, folders/ or globs, separated by commas", words)
    .option("--priority <word>", priorities.join(", "), oneOf(priorities))
    .option("-m, --message <text>", "instructions for its agent")
    .action(async (title, options) => end(await (await plan()).addTask(title, options)));

  amendment("remove", "remove a task; tasks that depend on it then depend on its dependencies")
    .argument("<task>", "ID in the plan", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (task, options) => end(await (await plan()).removeTask(task, options)));

  amendment("link", "make a task that has not started depend on another task")
    .argument("<task>", "ID in the plan", oneLine)
    .argument("<after>", "ID of the task that must finish first", oneLine)
    .action(async (task, after, options) => end(await (await plan()).linkTask(task, after, options)));

  amendment("unlink", "remove a dependency of a task that has not started")
    .argument("<task>", "ID in the plan", oneLine)
    .argument("<after>", "ID of the task to remove from its dependencies", oneLine)
    .action(async (task, after, options) => end(await (await plan()).unlinkTask(task, after, options)));

  amendment("move", "move a task that has not started to another phase")
    .argument("<task>", "ID in the plan", oneLine)
    .argument("<phase>", "number of the phase", wholeNumber(1, 50))
    .action(async (task, phase, options) => end(await (await plan()).moveTask(task, phase, options)));

  amendment("workflow", "turn a workflow stage on or off; auto decides by its condition")
    .argument("<stage>", workflowStages.join(", "), oneOf(workflowStages))
    .argument("<mode>", stageModes.join(", "), oneOf(stageModes))
    .action(async (stage, mode, options) => end(await (await plan()).setWorkflow(stage, mode, options)));
}

/** The library of what earlier runs taught. */
function addPatternCommands({ command, end }: CommandList): void {
  const patterns = async () => import("./patterns.ts");
  const library = command("patterns", "list the patterns from earlier runs, and which you approved").action(
    async (options) => end(await (await patterns()).listPatterns(options)),
  );
  const part = (name: string, description: string): Command =>
    withCommonOptions(library.command(name).description(description));
  const ofOne = (name: string, description: string): Command =>
    part(name, description).argument("<id>", "for example decomposition/types-first", oneLine);
  const version = wholeNumber(1, 100_000);

  part("list", "list each pattern: approved here, not approved, or retired").action(async (options) =>
    end(await (await patterns()).listPatterns(options)),
  );
  ofOne("show", "show its text, evidence and origin, and how runs that used it went").action(
    async (id, options) => end(await (await patterns()).showPattern(id, options)),
  );
  ofOne("diff", "compare the text on the branch with the version approved before it")
    .option("--from <version>", "compare from this version", version)
    .option("--to <version>", "compare to this version", version)
    .action(async (id, options) => end(await (await patterns()).diffPattern(id, options)));
  ofOne("edit", "edit its text in your editor and approve it")
    .option("--file <file>", "read the text from this file instead of an editor", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) => end(await (await import("./edit-pattern.ts")).editPattern(id, options)));
  ofOne("approve", "show the text on the branch, and approve it for later runs")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) =>
      end(await (await import("./approve-pattern.ts")).approvePattern(id, options)),
    );
  ofOne("retire", "remove it from the branch; later runs no longer use it")
    .requiredOption("--reason <text>", "the reason, which is recorded")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) => end(await (await patterns()).retirePattern(id, options)));
  ofOne("restore", "restore a text that was approved here")
    .option("--version <n>", "which version (default: the last one)", version)
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) => end(await (await patterns()).restorePattern(id, options)));
  part("suggest", "list approved patterns that match a goal")
    .argument("<goal>", "the goal, as you would give it to a run")
    .action(async (goal, options) => end(await (await patterns()).suggestPatterns(goal, options)));
  part("push", "push the branch hox-patterns to its remote, after a preview")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./push.ts")).push("hox-patterns", options)));
  part("pull", "fetch what others pushed; this approves nothing").action(async (options) =>
    end(await (await patterns()).pullPatterns(options)),
  );
}

/** Hox on this machine: the app for a browser, settings, and what is missing. */
function addHostCommands({ command, end }: CommandList): void {
  command("serve", "serve the app to a browser on this machine")
    .option("--port <n>", "port (default: any free port)", wholeNumber(0, 65_535))
    .option("--state <folder>", "folder for settings and journals", oneLine)
    .option(
      "--take-over",
      "take over from the Hox process that has --repo open; it saves and becomes read-only",
    )
    .action(async (options) => end(await (await import("./serve.ts")).serve(options)));

  command("address", "print a new address of the running `hox serve`; valid once, for ten minutes")
    .option("--port <n>", "only the `hox serve` on this port", wholeNumber(1, 65_535))
    .option("--state <folder>", "state folder of that `hox serve`", oneLine)
    .action(async (options) => end(await (await import("./address.ts")).address(options)));

  command("config", "show the effective settings, where each comes from, and errors")
    .option("--check", "show only errors; exits 1 if a run would not start")
    .option("--model <name>", "as for `hox run`", oneLine)
    .option("--max-tokens <n>", "as for `hox run`", wholeNumber(1, 1e12))
    .option("--max-budget-usd <amount>", "as for `hox run`", microDollars)
    .option("--max-iterations <n>", "as for `hox run`", wholeNumber(1, 1_000))
    .action(async (options) => end(await (await import("./config.ts")).config(options)));

  command("trust", "show repository settings that loosen your limits, and apply them if you confirm")
    .option("--ignore", "don't apply them, and don't ask again until one changes")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./trust.ts")).trust(options)));

  command("doctor", "check what Hox needs on this machine, and how to fix what is missing")
    .option("--fetch-jj", "first download the jj version that this Hox was built with, and use it")
    .action(async (options) => end(await (await import("./doctor.ts")).doctor(options)));
}

/** Commands for the repository, without a run. */
function addGraphCommands({ command, end }: CommandList): void {
  command("log", "show jj's log, with Hox's revset functions")
    .option("-r, --revisions <revset>", "which changes, for example 'priority(high) & status(open)'")
    .option("-n, --limit <n>", "maximum number of changes", wholeNumber(1, 1e9))
    .action(async (options) => end(await (await import("./log.ts")).log(options)));

  command("check", "find the project's checks and run them on the commit a run would build on; starts no run")
    .option("--onto <revset>", "as for `hox run`")
    .option("--again", "run again even if this commit has results")
    .option("--write", "write the checks that can run to .hox/config.toml")
    .action(async (options) => end(await (await import("./check.ts")).check(options)));

  command("describe", "set a change's description and Hox metadata; an empty value removes a field")
    .argument("[change]", "change ID or revset of one change", "@")
    .option("-m, --message <text>", "new description; Hox metadata is kept")
    .option("--set-priority <word>", priorities.join(", "), orNothing(oneOf(priorities)))
    .option("--set-status <word>", statuses.join(", "), orNothing(oneOf(statuses)))
    .option("--set-orchestrator <name>", "for example O-A-1", orNothing(oneLine))
    .option("--set-agent <name>", "for example agent-42", orNothing(oneLine))
    .option("--set-msg-to <address>", "for example O-A-1/*", orNothing(oneLine))
    .option("--set-msg-type <word>", messageTypes.join(", "), orNothing(oneOf(messageTypes)))
    .option("--set-hox-metrics <json>", "one line of JSON", orNothing(oneLine))
    .option("--mutation", "mark the change as a decision")
    .action(async (change, options) => end(await (await import("./describe.ts")).describe(change, options)));
}

/** Commander turns a null into an empty text, so an empty text is what "remove it" looks like. */
function orNothing<T>(parse: (value: string) => T): (value: string) => T | "" {
  return (value) => (value === "" ? "" : parse(value));
}

/** The named agents that forks can be. */
function addAgentsCommands({ command, end }: CommandList): void {
  const agents = async () => import("./agents.ts");
  const agentsCommand = command(
    "agents",
    "list the agents of this repository, which forks can use by name",
  ).action(async (options) => end(await (await agents()).listAgents(options)));
  const part = (name: string, description: string): Command =>
    withCommonOptions(agentsCommand.command(name).description(description));

  part("list", "list each agent with its tools, its limits and its file").action(async (options) =>
    end(await (await agents()).listAgents(options)),
  );
  part("check", "check the agent files; exits 1 if an agent can't be loaded").action(async (options) =>
    end(await (await agents()).checkAgents(options)),
  );
  part("show", "show the prompt that an agent or a clone would get")
    .argument("<name>", "name from `hox agents list`, or clone", oneLine)
    .option("--worker <name>", "the agent to fork, for example agent-1", oneLine)
    .option("--task <text>", "the task to give it")
    .action(async (name, options) => end(await (await agents()).showAgent(name, options)));
  part("migrate", "convert agent files in the old format; without --write, only show the result")
    .option(
      "--from <folder>",
      "folder with the old files (default: the agents folder of this repository)",
      oneLine,
    )
    .option("--write", "write the files; existing files are not overwritten")
    .action(async (options) => end(await (await import("./migrate-agents.ts")).migrateAgents(options)));
}

/** Recorded runs: watched again, and taken to another machine. */
function addReplayCommands({ command, end }: CommandList): void {
  command("replay", "replay a recorded run without a model; changes nothing")
    .argument("<run>", "run ID, `last`, or a file from `hox export`", oneLine)
    .option(
      "--pace <pace>",
      "speed, such as 10x, or `instant` (default: 10x on a terminal, else instant); pauses are at most 3 s",
      pace,
    )
    .action(async (run, options) => end(await (await import("./replay.ts")).replay(run, options)));

  command("export", "write a recorded run to one file that any machine can replay")
    .argument("<run>", "run ID, `last`, or a file from `hox export`", oneLine)
    .argument("<file>", "file to write, for example run.hoxrun; existing files are not overwritten", oneLine)
    .option("--markdown", "write a readable page instead of a recording (default for files ending in .md)")
    .action(async (run, file, options) =>
      end(await (await import("./export.ts")).exportRun(run, file, options)),
    );
}

/** How many times as fast as it was; Infinity: nothing is waited for. */
function pace(value: string): number {
  if (value === "instant") return Infinity;
  const times = Number(/^(\d+(?:\.\d+)?)x?$/u.exec(value)?.[1]);
  if (!(times > 0)) throw new InvalidArgumentError("Must be a factor such as 10x, or instant.");
  return times;
}

/** The user's other agents, outside Hox, in the same repository. */
function addSessionCommands({ command, end }: CommandList): void {
  command(
    "ask",
    "ask a worker, an archangel or a session a question; it does not interrupt work and changes nothing",
  )
    .argument("<who>", "for example agent-2, O-A-1, or claude-1a2b3c4d from `hox sessions`", oneLine)
    .argument("<words...>", "the question")
    .action(async (who, words, options) =>
      end(await (await import("./ask-question.ts")).askQuestion(who, words, options)),
    );

  command("sessions", "list active Claude Code and Codex sessions in this repository: goal, plan, steps")
    .option("--all", "include ended sessions of the last 30 days")
    .action(async (options) => end(await (await import("./sessions.ts")).sessions(options)));

  command("notify", "receive session events from hooks of other agents; always exits 0")
    .argument("[payload...]", "JSON, as the last argument (default: read from stdin)")
    // A word that Hox does not know must not end the caller's hook with an error.
    .allowUnknownOption()
    .action(async (payload) => end(await (await import("./notify.ts")).notify(payload)));
}

/** A verdict on any change, without a run. */
function addValidateCommand({ command, end }: CommandList): void {
  command("validate", "ask the panel for a verdict on any change, without a run")
    .argument("<change>", "revset of one change, for example @-", oneLine)
    .option("--goal <text>", "what the change should do (default: its description)")
    .option("--from <revset>", "compare with this revision (default: its parents)", oneLine)
    .option("--max-tokens <n>", "maximum number of tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "maximum cost in US dollars, or none", orNone(microDollars))
    .action(async (change, options) => end(await (await import("./validate.ts")).validate(change, options)));
}

/** Runs one command line and returns the exit code; all errors are printed. */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = createProgram((ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    return tell(error, args.includes("--json"));
  }
}

function tell(error: unknown, json: boolean): ExitCode {
  const { message, remedy } =
    error instanceof Error
      ? (error as Error & { remedy?: unknown })
      : { message: String(error), remedy: null };
  const advice = typeof remedy === "string" && remedy !== "" ? remedy : null;
  if (json) printJson({ kind: "error", message, remedy: advice });
  printError(`hox: ${message}${advice && !message.includes(advice) ? `\n${advice}` : ""}`);
  if (process.env.HOX_DEBUG && error instanceof Error) printError(`${error.stack}`);
  return error instanceof CommandError ? error.code : exitCode.error;
}
