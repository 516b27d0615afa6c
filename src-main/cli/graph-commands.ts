import { messageTypes, priorities, statuses } from "#shared/domain/graph-words/metadata.ts";
import { oneLine, oneOf, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** What stands in the repository, without a run. */
export function addGraphCommands({ command, end }: CommandList): void {
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
