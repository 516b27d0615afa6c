import { microDollars, oneLine, orNone, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** The user's messages to an active run. */
export function addSteerCommands({ command, end }: CommandList): void {
  const steer = async () => import("./steer.ts");
  command("pause", "pause the run or one agent, after its current request")
    .argument("[agent]", "for example agent-2 (default: the run)", oneLine)
    .action(async (agent, options) => end(await (await steer()).pause(agent, options)));

  command("resume", "resume the run or one agent")
    .argument("[agent]", "for example agent-2 (default: the run)", oneLine)
    .action(async (agent, options) => end(await (await steer()).resume(agent, options)));

  command("stop", "save the work of all agents and end the run permanently")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await steer()).stop(options)));

  command("retry", "restart a failed agent with a fresh context")
    .argument("<agent>", "for example agent-2", oneLine)
    .action(async (agent, options) => end(await (await steer()).retry(agent, options)));

  command(
    "message",
    "send a message to an agent, which reads it with its next prompt, before it can finish; O-A-1/* is all agents of O-A-1",
  )
    .argument("<agent>", "for example agent-2", oneLine)
    .argument("<words...>", "the message")
    .option("--now", "interrupt one agent: it reads the message right after its current request")
    .action(async (agent, words, options) => end(await (await steer()).message(agent, words, options)));

  command("reassign", "reassign an agent's task to a new agent; the work stays in the change")
    .argument("<agent>", "for example agent-2", oneLine)
    .option("--model <name>", "model of the new agent", oneLine)
    .option("--brief <text>", "extra instructions for the new agent")
    .action(async (agent, options) => end(await (await steer()).reassign(agent, options)));

  addAttemptCommands({ command, end });

  command("take-over", "take over an agent's task in its workspace; the agent is paused")
    .argument("<agent>", "for example agent-2", oneLine)
    .action(async (agent, options) => end(await (await steer()).takeOver(agent, options)));

  command(
    "give-back",
    "return a task to its agent, with your changes; exits 5 if --done is set and a check fails",
  )
    .argument("<agent>", "for example agent-2", oneLine)
    .option("--done", "the task is finished; Hox runs its checks")
    .option("-m, --message <text>", "a note for the agent, or what you did")
    .action(async (agent, options) => end(await (await steer()).giveBack(agent, options)));

  command("answer", "list the cards that wait for you, or answer one")
    .argument("[card]", "name from the list (1: the only card), or ID", oneLine)
    .argument(
      "[words...]",
      "y, n, a reason, the number of an option, an amount, a bookmark, or your own text",
    )
    .action(async (card, words, options) => end(await (await steer()).answer(card, words, options)));

  command(
    "budget",
    "show what was spent and the limits; with options, set limits of the run or of one worker",
  )
    .argument("[worker]", "for example agent-2 or O-B-1 (default: the run)", oneLine)
    .option("--usd <amount>", "maximum cost in US dollars, or none", orNone(microDollars))
    .option("--tokens <n>", "maximum number of tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option(
      "--iterations <n>",
      "maximum iterations of an agent before Hox asks you; none: as configured",
      orNone(wholeNumber(1, 1_000)),
    )
    .option(
      "--agents <n>",
      "maximum number of agents at a time; none: as configured",
      orNone(wholeNumber(1, 64)),
    )
    .action(async (worker, options) => end(await (await steer()).budget(worker, options)));
}

/** Several agents at one task. */
function addAttemptCommands({ command, end }: Pick<CommandList, "command" | "end">): void {
  command("attempts", "list attempts of tasks that several agents try: files, checks, cost and time")
    .argument("[task]", "task ID in the plan, or one of its agents (default: all tasks)", oneLine)
    .action(async (task, options) => end(await (await import("./attempts.ts")).attempts(task, options)));

  command("choose", "choose an attempt; the others are abandoned (undo with --undo)")
    .argument("[agent]", "for example agent-2", oneLine)
    .option("--undo", "undo the choice and restore all attempts")
    .action(async (agent, options) => end(await (await import("./attempts.ts")).choose(agent, options)));

  command("fork", "fork an agent: a new agent continues from a turn of its conversation, on its own change")
    .argument("<agent>", "for example agent-2", oneLine)
    .requiredOption("--from <turn>", "iteration.turn: 2.3 is the third turn of the second iteration", oneLine)
    .option("--words <text>", "message to start the fork with")
    .option("--model <name>", "model of the new agent", oneLine)
    .action(async (agent, options) => {
      const { conversationTurn, fork } = await import("./attempts.ts");
      return end(await fork(agent, { ...options, from: conversationTurn(options.from) }));
    });
}
