import { oneLine } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** Agents of a person's own, outside Hox, in the same repository. */
export function addSessionCommands({ command, end }: CommandList): void {
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
