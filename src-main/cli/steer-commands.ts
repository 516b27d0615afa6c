import { microDollars, oneLine, orNone, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** A person's words to a run that is going on. */
export function addSteerCommands({ command, end }: CommandList): void {
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
    .option("--now", "one agent reads it at the end of the request that it is in")
    .action(async (agent, words, options) => end(await (await steer()).message(agent, words, options)));

  command("reassign", "give the task of an agent to a fresh one; its work stays in the change")
    .argument("<agent>", "for instance agent-2", oneLine)
    .option("--model <name>", "the model of the new one", oneLine)
    .option("--brief <text>", "what to tell it beside the task")
    .action(async (agent, options) => end(await (await steer()).reassign(agent, options)));

  addAttemptCommands({ command, end });

  command("take-over", "do the task of an agent by hand, in its workspace; the agent waits")
    .argument("<agent>", "for instance agent-2", oneLine)
    .action(async (agent, options) => end(await (await steer()).takeOver(agent, options)));

  command("give-back", "the agent goes on from what you changed; exits 5 where --done and a check fails")
    .argument("<agent>", "for instance agent-2", oneLine)
    .option("--done", "the task is finished: it goes through the checks")
    .option("-m, --message <text>", "what the agent should know, or what you did")
    .action(async (agent, options) => end(await (await steer()).giveBack(agent, options)));

  command("answer", "the cards that wait for you, or the answer to one")
    .argument("[card]", "its name in the list (1: the only one), or its id", oneLine)
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
}

/** Several agents at one task. */
function addAttemptCommands({ command, end }: Pick<CommandList, "command" | "end">): void {
  command("attempts", "tasks that several agents try side by side: files, checks, cost and time of each")
    .argument("[task]", "its id in the plan, or one of its agents; left out: all of them", oneLine)
    .action(async (task, options) => end(await (await import("./attempts.ts")).attempts(task, options)));

  command(
    "choose",
    "the task goes on with this attempt; the others are abandoned, and --undo brings them back",
  )
    .argument("[agent]", "for instance agent-2", oneLine)
    .option("--undo", "take the choice back: all attempts are there again")
    .action(async (agent, options) => end(await (await import("./attempts.ts")).choose(agent, options)));

  command("fork", "another agent goes on from a turn of an agent's conversation, on a change beside it")
    .argument("<agent>", "for instance agent-2", oneLine)
    .requiredOption("--from <turn>", "iteration and turn: 2.3 is the third turn of the second one", oneLine)
    .option("--words <text>", "what to say there")
    .option("--model <name>", "the model of the new one", oneLine)
    .action(async (agent, options) => {
      const { conversationTurn, fork } = await import("./attempts.ts");
      return end(await fork(agent, { ...options, from: conversationTurn(options.from) }));
    });
}
