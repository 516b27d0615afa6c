/** Commands with code of their own, which is loaded when they run: help and a typing error need none of it. */
import { InvalidArgumentError } from "commander";
import { maxReportedRuns } from "#shared/contract/commands/report.ts";
import { messageTypes, priorities, statuses } from "#shared/domain/change-metadata/metadata.ts";
import { reportKeys } from "#shared/domain/report/report.ts";
import { oneLine, oneOf, wholeNumber } from "./command-line.ts";
import { type CommandRow, isConfirmed, row } from "./command-table.ts";
import { orientationRow } from "./inspect/orientation.ts";
import { maxBudget, maxTokens, runTakes } from "./run/run-outcome.ts";
import { undoRows } from "./steer/undo.ts";

const recording = ["run ID, `last`, or a file from `hox export`", oneLine] as const;

/** Commander turns a null into an empty text, so an empty text is what "remove it" looks like. */
const orNothing =
  <T>(parse: (value: string) => T) =>
  (value: string): T | "" =>
    value === "" ? "" : parse(value);

/** How many times as fast as it was; Infinity: without pauses. */
function pace(value: string): number {
  if (value === "instant") return Infinity;
  const times = Number(/^(\d+(?:\.\d+)?)x?$/u.exec(value)?.[1]);
  if (!(times > 0)) throw new InvalidArgumentError("Must be a factor such as 10x, or instant.");
  return times;
}

export const startRows: readonly CommandRow[] = [
  row(
    "init",
    "set up Hox in this folder: a jj repository and .hox/config.toml",
    { "-y, --yes": isConfirmed },
    async (given) => (await import("./repo/doctor.ts")).init(given),
  ),
  row("run", "start a run for a goal, or resume the active run", runTakes, async (given) =>
    (await import("./run/run.ts")).run(given),
  ),
  row("status", "show the run, its agents, the cards that wait for you, and the budget", {}, async (given) =>
    (await import("./inspect/status.ts")).status(given),
  ),
  row(
    "log",
    "show jj's log, with Hox's revset functions",
    {
      "-r, --revisions <revset>": "which changes, for example 'priority(high) & status(open)'",
      "-n, --limit <n>": ["maximum number of changes", wholeNumber(1, 1e9)],
    },
    async (given) => (await import("./inspect/log.ts")).log(given),
  ),
  row(
    "check",
    "find the project's checks and run them on the commit a run would build on; starts no run",
    {
      "--onto <revset>": "as for `hox run`",
      "--again": "run again even if this commit has results",
      "--write": "write the checks that can run to .hox/config.toml",
    },
    async (given) => (await import("./inspect/check.ts")).check(given),
  ),
  row(
    "describe",
    "set a change's description and Hox metadata; an empty value removes a field",
    {
      "[change]": { help: "change ID or revset of one change", standard: "@" },
      "-m, --message <text>": "new description; Hox metadata is kept",
      "--set-priority <word>": [priorities.join(", "), orNothing(oneOf(priorities))],
      "--set-status <word>": [statuses.join(", "), orNothing(oneOf(statuses))],
      "--set-orchestrator <name>": ["for example O-A-1", orNothing(oneLine)],
      "--set-agent <name>": ["for example agent-42", orNothing(oneLine)],
      "--set-msg-to <address>": ["for example O-A-1/*", orNothing(oneLine)],
      "--set-msg-type <word>": [messageTypes.join(", "), orNothing(oneOf(messageTypes))],
      "--set-hox-metrics <json>": ["one line of JSON", orNothing(oneLine)],
      "--mutation": "mark the change as a decision",
    },
    async (given) => (await import("./inspect/log.ts")).describe(given),
  ),
];

/** The result of a run: its cost, undoing it, pushing it, and cleaning up; and a verdict on any change. */
export const resultRows: readonly CommandRow[] = [
  row(
    "metrics",
    "show what the run cost, per agent and as overhead; with --runs or --by, a report over several runs",
    {
      "--runs <n>": ["number of newest runs to include (default: 50)", wholeNumber(1, maxReportedRuns)],
      "--by <what>": [`one row per ${reportKeys.join(", ")} (default: run)`, oneOf(reportKeys)],
      "--csv": "print the report as CSV",
      "--compare-stores": "compare the metrics on changes with those in the database",
    },
    async (given) => (await import("./inspect/metrics.ts")).metrics(given),
  ),
  row(
    "runs",
    "list all runs of this repository, newest first",
    { "-n, --limit <n>": ["number of newest runs to list (default: 20)", wholeNumber(1, maxReportedRuns)] },
    async (given) => (await import("./inspect/metrics.ts")).runs(given),
  ),
  row(
    "report",
    "print a report of a run as Markdown: changes, decisions, work, votes, cost, open tasks",
    {
      "[run]": {
        help: "run ID, the start of one, or `last` (default: last)",
        parse: oneLine,
        standard: "last",
      },
    },
    async (given) => (await import("./inspect/metrics.ts")).runReport(given.run, given),
  ),
  orientationRow,
  ...undoRows,
  row(
    "push",
    "push a bookmark to its remote, after a preview",
    {
      "[bookmark]": ["default: your current branch, else main, master or trunk", oneLine],
      "-y, --yes": isConfirmed,
      "--no-notes": "don't push run metadata in Git notes",
    },
    async (given) => (await import("./inspect/log.ts")).push(given.bookmark, given),
  ),
  row(
    "pull-request",
    "push what a run landed and open a draft pull request for it, or update the one that is there, after a preview",
    {
      "[run]": {
        help: "run ID, the start of one, or `last` (default: last)",
        parse: oneLine,
        standard: "last",
      },
      "--base <branch>": ["branch that it goes to (default: the repository's default branch)", oneLine],
      "--closes-issue": "merging it closes the issue that the run began from",
      "--follow": "print checks, reviews and comments until it is merged or closed",
      "-y, --yes": isConfirmed,
    },
    async (given) => (await import("./run/pull-request.ts")).pullRequest(given.run, given),
  ),
  row(
    "clean",
    "delete workspaces, agent branches and messages left by ended runs; their work stays in its changes",
    { "-y, --yes": isConfirmed },
    async (given) => (await import("./repo/doctor.ts")).clean(given),
  ),
  row(
    "validate",
    "ask the panel for a verdict on any change, without a run",
    {
      "<change>": ["revset of one change, for example @-", oneLine],
      "--goal <text>": "what the change should do (default: its description)",
      "--from <revset>": ["compare with this revision (default: its parents)", oneLine],
      "--max-tokens <n>": maxTokens,
      "--max-budget-usd <amount>": maxBudget,
    },
    async (given) => (await import("./inspect/validate.ts")).validate(given.change, given),
  ),
];

/** Recorded runs: watched again, and taken to another machine. */
export const replayRows: readonly CommandRow[] = [
  row(
    "replay",
    "replay a recorded run without a model; changes nothing",
    {
      "<run>": recording,
      "--pace <pace>": [
        "speed, such as 10x, or `instant` (default: 10x on a terminal, else instant); pauses are at most 3 s",
        pace,
      ],
    },
    async (given) => (await import("./inspect/replay.ts")).replay(given.run, given),
  ),
  row(
    "export",
    "write a recorded run to one file that any machine can replay, or to a readable page if its name ends in .md",
    {
      "<run>": recording,
      "<file>": ["file to write, for example run.hoxrun; existing files are not overwritten", oneLine],
    },
    async (given) => (await import("./inspect/replay.ts")).exportRun(given.run, given.file, given),
  ),
];

/** Your own agents, outside Hox, in the same repository. */
export const sessionRows: readonly CommandRow[] = [
  row(
    "ask",
    "ask a worker, an archangel or a session a question; it does not interrupt work and changes nothing",
    {
      "<who>": ["for example agent-2, O-A-1, or claude-1a2b3c4d from `hox sessions`", oneLine],
      "<words...>": "the question",
    },
    async (given) => (await import("./repo/sessions.ts")).askQuestion(given.who, given.words, given),
  ),
  row(
    "sessions",
    "list active Claude Code and Codex sessions in this repository: goal, plan, steps",
    { "--all": "include ended sessions of the last 30 days" },
    async (given) => (await import("./repo/sessions.ts")).sessions(given),
  ),
  {
    ...row(
      "notify",
      "receive session events from hooks of other agents; always exits 0",
      { "[payload...]": "JSON, as the last argument (default: read from stdin)" },
      async (given) => (await import("./repo/notify.ts")).notify(given.payload),
    ),
    takesUnknown: true,
  },
];

/** The named agents that forks can be. */
export const projectRows: readonly CommandRow[] = [
  row("agents", "list the agents of this repository, which forks can use by name", {}, async (given) =>
    (await import("./repo/agents.ts")).listAgents(given),
  ),
  row("agents list", "list each agent with its tools, its limits and its file", {}, async (given) =>
    (await import("./repo/agents.ts")).listAgents(given),
  ),
  row("agents check", "check the agent files; exits 1 if an agent can't be loaded", {}, async (given) =>
    (await import("./repo/agents.ts")).checkAgents(given),
  ),
  row(
    "agents show",
    "show the prompt that an agent or a clone would get",
    {
      "<name>": ["name from `hox agents list`, or clone", oneLine],
      "--worker <name>": ["the agent to fork, for example agent-1", oneLine],
      "--task <text>": "the task to give it",
    },
    async (given) => (await import("./repo/agents.ts")).showAgent(given.name, given),
  ),
];

/** Hox on this machine: the app for a browser, settings, and what is missing. */
export const hostRows: readonly CommandRow[] = [
  row(
    "serve",
    "serve the app to a browser on this machine, and with --listen to people whom you invite",
    {
      "--port <n>": ["port for this machine (default: any free port)", wholeNumber(0, 65_535)],
      "--listen <address>": ["for other people, with TLS: an address such as 0.0.0.0:8443", oneLine],
      "--tls-cert <file>": ["certificate for --listen, as PEM", oneLine],
      "--tls-key <file>": ["its key, as PEM", oneLine],
      "--state <folder>": ["folder for settings and journals", oneLine],
      "--take-over": "take over from the Hox process that has --repo open; it saves and becomes read-only",
    },
    async (given) => (await import("./repo/doctor.ts")).serve(given),
  ),
  row(
    "address",
    "print a new address of the running `hox serve`; valid once, for ten minutes",
    {
      "--port <n>": ["only the `hox serve` on this port", wholeNumber(1, 65_535)],
      "--state <folder>": ["state folder of that `hox serve`", oneLine],
    },
    async (given) => (await import("./repo/doctor.ts")).address(given),
  ),
  row(
    "config",
    "show the effective settings, where each comes from, and errors",
    {
      "--check": "show only errors; exits 1 if a run would not start",
    },
    async (given) => (await import("./repo/config.ts")).config(given),
  ),
  row(
    "trust",
    "show repository settings that loosen your limits, and apply them if you confirm",
    {
      "--ignore": "don't apply them, and don't ask again until one changes",
      "-y, --yes": isConfirmed,
    },
    async (given) => (await import("./repo/config.ts")).trust(given),
  ),
  row(
    "doctor",
    "check what Hox needs on this machine, and how to fix what is missing",
    {
      "--fetch-jj": "first download the jj version that this Hox was built with, and use it",
      "--use-login <agent>":
        "let claude or codex use your own login (subscription), as explained in the list",
      "--keep-login <agent>": "no longer let it",
      "--bundle <file>": "write a file for a bug report: versions, settings, runs and the log",
    },
    async (given) => (await import("./repo/doctor.ts")).doctor(given),
  ),
];
