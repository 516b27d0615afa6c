import type { CommandList } from "./command-list.ts";

/** Agents of a person's own, outside Hox, in the same repository. */
export function addSessionCommands({ command, end }: CommandList): void {
  command("sessions", "sessions of Claude Code and Codex that work in this repository: goal, plan, steps")
    .option("--all", "those of the last 30 days too that are over")
    .action(async (options) => end(await (await import("./sessions.ts")).sessions(options)));

  command("notify", "for hooks of other agents: takes what they tell of their session; always exits 0")
    .argument("[payload...]", "JSON; the last argument counts. Left out: it is read from stdin")
    // A word that Hox does not know must not end the caller's hook with an error.
    .allowUnknownOption()
    .action(async (payload) => end(await (await import("./notify.ts")).notify(payload)));
}
