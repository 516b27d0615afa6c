import type { Command } from "commander";
import { oneLine, wholeNumber } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** The library of what earlier runs taught. */
export function addPatternCommands({ command, end }: CommandList): void {
  const patterns = async () => import("./patterns.ts");
  const library = command("patterns", "what earlier runs taught, and which of it you approved").action(
    async (options) => end(await (await patterns()).listPatterns(options)),
  );
  const part = (name: string, description: string): Command =>
    withCommonOptions(library.command(name).description(description));
  const ofOne = (name: string, description: string): Command =>
    part(name, description).argument("<id>", "as in decomposition/types-first", oneLine);
  const version = wholeNumber(1, 100_000);

  part("list", "each pattern: approved here, not approved, or retired").action(async (options) =>
    end(await (await patterns()).listPatterns(options)),
  );
  ofOne("show", "its text, its evidence, where it came from, and how the runs went that were told it").action(
    async (id, options) => end(await (await patterns()).showPattern(id, options)),
  );
  ofOne("diff", "what changed: what stands on the branch against the version approved before it")
    .option("--from <version>", "against this version", version)
    .option("--to <version>", "of this version", version)
    .action(async (id, options) => end(await (await patterns()).diffPattern(id, options)));
  ofOne("edit", "write its text anew in your editor, and approve it")
    .option("--file <file>", "the text stands in this file; no editor is opened", oneLine)
    .option("-y, --yes", "do not ask")
    .action(async (id, options) => end(await (await import("./edit-pattern.ts")).editPattern(id, options)));
  ofOne("approve", "let later runs read what stands on the branch, after a look at it")
    .option("-y, --yes", "do not ask")
    .action(async (id, options) =>
      end(await (await import("./approve-pattern.ts")).approvePattern(id, options)),
    );
  ofOne("retire", "take it off the branch; no run reads it any more")
    .requiredOption("--reason <text>", "why; kept with the record")
    .option("-y, --yes", "do not ask")
    .action(async (id, options) => end(await (await patterns()).retirePattern(id, options)));
  ofOne("restore", "bring back a text that was approved here")
    .option("--version <n>", "which (default: the one that was last)", version)
    .option("-y, --yes", "do not ask")
    .action(async (id, options) => end(await (await patterns()).restorePattern(id, options)));
  part("suggest", "approved patterns that fit a goal")
    .argument("<goal>", "in the words in which a run would be given it")
    .action(async (goal, options) => end(await (await patterns()).suggestPatterns(goal, options)));
  part("push", "the branch hox-patterns to its remote, after a look at what would move")
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./push.ts")).push("hox-patterns", options)));
  part("pull", "take in what others pushed; nothing of it is approved by that").action(async (options) =>
    end(await (await patterns()).pullPatterns(options)),
  );
}
