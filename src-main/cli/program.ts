import { Command, CommanderError, Option } from "commander";
import { gates } from "#shared/contract/cards/gates.ts";
import { ceremonyParts } from "#shared/domain/ceremony/ceremony-parts.ts";
import { messageTypes, priorities, statuses } from "#shared/domain/graph-words/metadata.ts";
import { version } from "../version.ts";
import {
  CommandError,
  type ExitCode,
  exitCode,
  microDollars,
  oneLine,
  oneOf,
  someOf,
  wholeNumber,
  words,
} from "./command-line.ts";
import { printError, printJson } from "./output.ts";

/** Each command's own code is loaded when it runs: `hox --help` and a typing error need none of it. */
export function createProgram(end: (code: ExitCode) => void): Command {
  const program = new Command("hox")
    .description("Several coding agents on one jj repository.")
    .configureHelp({ showGlobalOptions: true })
    .version(version(), "-V, --version")
    .exitOverride()
    .configureOutput({ writeErr: (text) => printError(text.replace(/\n$/u, "")) })
    .showHelpAfterError("Add --help for what is possible.")
    .enablePositionalOptions();

  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option("--repo <folder>", "the repository (default: the one you stand in)", oneLine)
      .option("--json", "one JSON value per line instead of text");

  command("init", "make the folder a jj repository where needed, and write .hox/config.toml")
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./init.ts")).init(options)));

  command("run", "take a goal from plan to landed result, or go on with the run that waits")
    .option("--goal <text>", "what the run should achieve")
    .option("--again", "the goal of the run that failed or was stopped, on what it brought together")
    .option("--orchestrators <n>", "how many; otherwise the root orchestrator decides", wholeNumber(1, 32))
    .option("--max-tokens <n>", "hard stop after so many tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "hard stop after so many US dollars, or none", orNone(microDollars))
    .option("--onto <revset>", "the change to build on, or the branch to build and land on (default: yours)")
    .option("--model <name>", "the model of this run", oneLine)
    .option(
      "--rehearsal <name>",
      "a scripted model instead of a real one; without --repo on a copy of its example",
      oneLine,
    )
    .option(
      "--approve <gates>",
      `decisions to make in advance: ${gates.join(", ")} (questions: the first option)`,
      someOf(gates),
    )
    .option("--take-over", "also where another Hox works here: it saves, lets go and looks on")
    .addOption(new Option("--pace <ms>", "of a scripted model").argParser(wholeNumber(0, 10_000)).hideHelp())
    .action(async (options) => end(await (await import("./run.ts")).run(options)));

  command("status", "the run, its agents, what waits for you, and the budget").action(async (options) =>
    end(await (await import("./status.ts")).status(options)),
  );

  command("log", "jj's log, with Hox's revset functions")
    .option("-r, --revisions <revset>", "which changes, for instance 'priority(high) & status(open)'")
    .option("-n, --limit <n>", "at most so many", wholeNumber(1, 1e9))
    .action(async (options) => end(await (await import("./log.ts")).log(options)));

  command("check", "what Hox finds to check here, tried on what a run would build on; no run is begun")
    .option("--onto <revset>", "as of `hox run`")
    .option("--again", "also where the same commit was tried before")
    .option("--write", "name the checks that can run in .hox/config.toml")
    .action(async (options) => end(await (await import("./check.ts")).check(options)));

  command("describe", "set a change's description and Hox's words in it; an empty value removes a word")
    .argument("[change]", "change id or revset of one change", "@")
    .option("-m, --message <text>", "the new description; Hox's words in it stay")
    .option("--set-priority <word>", priorities.join(", "), orNothing(oneOf(priorities)))
    .option("--set-status <word>", statuses.join(", "), orNothing(oneOf(statuses)))
    .option("--set-orchestrator <name>", "for instance O-A-1", orNothing(oneLine))
    .option("--set-agent <name>", "for instance agent-42", orNothing(oneLine))
    .option("--set-msg-to <address>", "for instance O-A-1/*", orNothing(oneLine))
    .option("--set-msg-type <word>", messageTypes.join(", "), orNothing(oneOf(messageTypes)))
    .option("--set-hox-metrics <json>", "one line of JSON", orNothing(oneLine))
    .option("--mutation", "mark it as a structural decision")
    .action(async (change, options) => end(await (await import("./describe.ts")).describe(change, options)));

  const steer = async () => import("./steer.ts");
  command("pause", "everyone, or one agent, finishes the request that it is in and waits")
    .argument("[agent]", "for instance agent-2; left out: the run", oneLine)
    .action(async (agent, options) => end(await (await steer()).pause(agent, options)));

  command("resume", "the run, or one agent, goes on")
    .argument("[agent]", "for instance agent-2; left out: the run", oneLine)
    .action(async (agent, options) => end(await (await steer()).resume(agent, options)));

  command("stop", "save the work of every agent and end the run for good")
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await steer()).stop(options)));

  command("retry", "let an agent that has its trouble on a card begin again, with a fresh context")
    .argument("<agent>", "for instance agent-2", oneLine)
    .action(async (agent, options) => end(await (await steer()).retry(agent, options)));

  command(
    "message",
    "tell an agent something; it reads it with its next prompt and is not done before. O-A-1/* is all of one's agents",
  )
    .argument("<agent>", "for instance agent-2", oneLine)
    .argument("<words...>", "what to say")
    .action(async (agent, words, options) => end(await (await steer()).message(agent, words, options)));

  command("reassign", "give the task of an agent to a fresh one; its work stays in the change")
    .argument("<agent>", "for instance agent-2", oneLine)
    .option("--model <name>", "the model of the new one", oneLine)
    .option("--brief <text>", "what to tell it beside the task")
    .action(async (agent, options) => end(await (await steer()).reassign(agent, options)));

  command("take-over", "do the task of an agent by hand, in its workspace; the agent waits")
    .argument("<agent>", "for instance agent-2", oneLine)
    .action(async (agent, options) => end(await (await steer()).takeOver(agent, options)));

  command("give-back", "the agent goes on from what you changed; exits 5 where --done and a check fails")
    .argument("<agent>", "for instance agent-2", oneLine)
    .option("--done", "the task is finished: it goes through the checks")
    .option("-m, --message <text>", "what the agent should know, or what you did")
    .action(async (agent, options) => end(await (await steer()).giveBack(agent, options)));

  command("answer", "the cards that wait for you, or the answer to one")
    .argument("[card]", "its number in the list, or its id", oneLine)
    .argument("[words...]", "y, n, why not, the number of an option, an amount, a bookmark, your own words")
    .action(async (card, words, options) => end(await (await steer()).answer(card, words, options)));

  command("budget", "what was spent and may be; with options: new limits of the run or of one worker")
    .argument("[worker]", "for instance agent-2 or O-B-1; left out: the run", oneLine)
    .option("--usd <amount>", "US dollars at most, or none", orNone(microDollars))
    .option("--tokens <n>", "tokens at most, or none", orNone(wholeNumber(1, 1e12)))
    .option(
      "--iterations <n>",
      "of an agent before you are asked, or none: as configured",
      orNone(wholeNumber(1, 1_000)),
    )
    .option("--agents <n>", "at once, or none: as configured", orNone(wholeNumber(1, 64)))
    .action(async (worker, options) => end(await (await steer()).budget(worker, options)));

  const plan = async () => import("./plan.ts");
  const planCommand = command("plan", "the plan of the run, how far each task has come, and what is wrong")
    .option("--orchestrator <name>", "whose plan (default: O-A-1)", oneLine)
    .action(async (options) => end(await (await plan()).showPlan(options)));
  const amendment = (name: string, description: string): Command =>
    planCommand
      .command(name)
      .description(description)
      .option("--repo <folder>", "the repository (default: the one you stand in)", oneLine)
      .option("--json", "one JSON value per line instead of text")
      .option("--orchestrator <name>", "whose plan (default: O-A-1)", oneLine);

  amendment("add", "a task joins the run; it gets an agent when its turn comes")
    .argument("<title>", "what it is called", oneLine)
    .option("--id <word>", "its name in the plan (default: from the title)", oneLine)
    .option("--phase <n>", "default: the one that goes on", wholeNumber(1, 50))
    .option("--after <tasks>", "names of tasks that it waits for, with commas between", words)
    .option("--files <paths>", "what it may touch: paths, folders/ or globs, with commas between", words)
    .option("--priority <word>", priorities.join(", "), oneOf(priorities))
    .option("-m, --message <text>", "what its agent is told")
    .action(async (title, options) => end(await (await plan()).addTask(title, options)));

  amendment("remove", "a task leaves the run; who waits for it waits for what it waited for")
    .argument("<task>", "its name in the plan", oneLine)
    .option("-y, --yes", "do not ask")
    .action(async (task, options) => end(await (await plan()).removeTask(task, options)));

  amendment("link", "a task that has not begun waits for another one")
    .argument("<task>", "its name in the plan", oneLine)
    .argument("<after>", "the name of the task that it waits for", oneLine)
    .action(async (task, after, options) => end(await (await plan()).linkTask(task, after, options)));

  amendment("unlink", "a task that has not begun no longer waits for another one")
    .argument("<task>", "its name in the plan", oneLine)
    .argument("<after>", "the name of the task that it waited for", oneLine)
    .action(async (task, after, options) => end(await (await plan()).unlinkTask(task, after, options)));

  amendment("move", "a task that has not begun comes to another phase")
    .argument("<task>", "its name in the plan", oneLine)
    .argument("<phase>", "its number", wholeNumber(1, 50))
    .action(async (task, phase, options) => end(await (await plan()).moveTask(task, phase, options)));

  amendment(
    "ceremony",
    "what the run does beside its agents: one part of it, or auto to leave it to the plan",
  )
    .argument("<part>", ceremonyParts.join(", "), oneOf(ceremonyParts))
    .argument("<value>", "one of the part's own, or auto", oneLine)
    .action(async (part, value, options) => end(await (await plan()).setCeremony(part, value, options)));

  command("metrics", "what the run cost, by whom, and how much of it beside its agents").action(
    async (options) => end(await (await import("./metrics.ts")).metrics(options)),
  );

  command("undo", "take back the file changes of one agent")
    .argument("<agent>", "for instance agent-2", oneLine)
    .option("-y, --yes", "do not ask")
    .option("--wait", "the agent waits until it is resumed, instead of beginning anew with the run")
    .action(async (agent, options) => end(await (await import("./undo.ts")).undo(agent, options)));

  command(
    "undo-landing",
    "the branch back where it stood before the last run landed; the work stays on the graph",
  )
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./undo-landing.ts")).undoLanding(options)));

  command("push", "a bookmark to its remote, after a look at what would move")
    .argument("[bookmark]", "default: the branch that you are on, else main, master or trunk", oneLine)
    .option("-y, --yes", "do not ask")
    .action(async (bookmark, options) => end(await (await import("./push.ts")).push(bookmark, options)));

  command(
    "clean",
    "remove what runs that are over have left: workspaces, branches of agents, messages; their work stands in their changes",
  )
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./clean.ts")).clean(options)));

  command("serve", "the app for a browser, on this machine only")
    .option("--port <n>", "default: any free one", wholeNumber(0, 65_535))
    .option("--state <folder>", "where settings and journals are kept", oneLine)
    .option("--take-over", "also where another Hox works on --repo: it saves, lets go and looks on")
    .action(async (options) => end(await (await import("./serve.ts")).serve(options)));

  command("address", "another address for a browser, from the Hox that serves; good once, for ten minutes")
    .option("--port <n>", "of this one only", wholeNumber(1, 65_535))
    .option("--state <folder>", "where that Hox keeps settings and journals", oneLine)
    .action(async (options) => end(await (await import("./address.ts")).address(options)));

  command("config", "the settings that hold here, where each comes from, and what is wrong with them")
    .option("--check", "only what is wrong; exits 1 where a run would be refused")
    .option("--model <name>", "as of `hox run`", oneLine)
    .option("--max-tokens <n>", "as of `hox run`", wholeNumber(1, 1e12))
    .option("--max-budget-usd <amount>", "as of `hox run`", microDollars)
    .action(async (options) => end(await (await import("./config.ts")).config(options)));

  command("doctor", "what Hox needs on this machine, and what to do where it is missing")
    .option("--fetch-jj", "put the jj that Hox was made with into its own cache first, and use that one")
    .action(async (options) => end(await (await import("./doctor.ts")).doctor(options)));
  return program;
}

/** A value, or the word that takes it away. */
function orNone<T>(parse: (value: string) => T): (value: string) => T | "none" {
  return (value) => (value === "none" ? value : parse(value));
}

/** Commander turns a null into an empty text, so an empty text is what "remove it" looks like. */
function orNothing<T>(parse: (value: string) => T): (value: string) => T | "" {
  return (value) => (value === "" ? "" : parse(value));
}

/** Runs one command line and answers with the exit code; everything that goes wrong is said in words. */
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
