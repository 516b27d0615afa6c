import type { Command } from "commander";
import { oneLine, wholeNumber } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** The library of what earlier runs taught. */
export function addPatternCommands({ command, end }: CommandList): void {
  const patterns = async () => import("./patterns.ts");
  const library = command("patterns", "list the patterns from earlier runs, and which you approved").action(
    async (options) => end(await (await patterns()).listPatterns(options)),
  );
  const part = (name: string, description: string): Command =>
    withCommonOptions(library.command(name).description(description));
  const ofOne = (name: string, description: string): Command =>
    part(name, description).argument("<id>", "for example decomposition/types-first", oneLine);
  const version = wholeNumber(1, 100_000);

  part("list", "list each pattern: approved here, not approved, or retired").action(async (options) =>
    end(await (await patterns()).listPatterns(options)),
  );
  ofOne("show", "show its text, evidence and origin, and how runs that used it went").action(
    async (id, options) => end(await (await patterns()).showPattern(id, options)),
  );
  ofOne("diff", "compare the text on the branch with the version approved before it")
    .option("--from <version>", "compare from this version", version)
    .option("--to <version>", "compare to this version", version)
    .action(async (id, options) => end(await (await patterns()).diffPattern(id, options)));
  ofOne("edit", "edit its text in your editor and approve it")
    .option("--file <file>", "read the text from this file instead of an editor", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) => end(await (await import("./edit-pattern.ts")).editPattern(id, options)));
  ofOne("approve", "show the text on the branch, and approve it for later runs")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) =>
      end(await (await import("./approve-pattern.ts")).approvePattern(id, options)),
    );
  ofOne("retire", "remove it from the branch; later runs no longer use it")
    .requiredOption("--reason <text>", "the reason, which is recorded")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) => end(await (await patterns()).retirePattern(id, options)));
  ofOne("restore", "restore a text that was approved here")
    .option("--version <n>", "which version (default: the last one)", version)
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (id, options) => end(await (await patterns()).restorePattern(id, options)));
  part("suggest", "list approved patterns that match a goal")
    .argument("<goal>", "the goal, as you would give it to a run")
    .action(async (goal, options) => end(await (await patterns()).suggestPatterns(goal, options)));
  part("push", "push the branch hox-patterns to its remote, after a preview")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./push.ts")).push("hox-patterns", options)));
  part("pull", "fetch what others pushed; this approves nothing").action(async (options) =>
    end(await (await patterns()).pullPatterns(options)),
  );
}
