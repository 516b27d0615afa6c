import { messageTypes, priorities, statuses } from "#shared/domain/graph-words/metadata.ts";
import { oneLine, oneOf, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** What stands in the repository, without a run. */
export function addGraphCommands({ command, end }: CommandList): void {
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
}

/** Commander turns a null into an empty text, so an empty text is what "remove it" looks like. */
function orNothing<T>(parse: (value: string) => T): (value: string) => T | "" {
  return (value) => (value === "" ? "" : parse(value));
}
