import { oneLine } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** Agents of a person's own, outside Hox, in the same repository. */
export function addSessionCommands({ command, end }: CommandList): void {
  command(
    "ask",
    "ask a worker, an archangel or a session something; nobody is disturbed, and nothing is changed",
  )
    .argument("<who>", "for instance agent-2, O-A-1, or claude-1a2b3c4d of `hox sessions`", oneLine)
    .argument("<words...>", "the question")
    .action(async (who, words, options) =>
      end(await (await import("./ask-question.ts")).askQuestion(who, words, options)),
    );

  command("sessions", "sessions of Claude Code and Codex that work in this repository: goal, plan, steps")
    .option("--all", "those of the last 30 days too that are over")
    .action(async (options) => end(await (await import("./sessions.ts")).sessions(options)));

  command("notify", "for hooks of other agents: takes what they tell of their session; always exits 0")
    .argument("[payload...]", "JSON; the last argument counts. Left out: it is read from stdin")
    // A word that Hox does not know must not end the caller's hook with an error.
    .allowUnknownOption()
    .action(async (payload) => end(await (await import("./notify.ts")).notify(payload)));
}
