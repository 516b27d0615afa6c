import { InvalidArgumentError } from "commander";
import { oneLine } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** Recorded runs: watched again, and taken to another machine. */
export function addReplayCommands({ command, end }: CommandList): void {
  command("replay", "watch a recorded run again, without a model; nothing is changed")
    .argument("<run>", "its id, `last`, or a file that `hox export` wrote", oneLine)
    .option(
      "--pace <pace>",
      "such as 10x, or `instant` (default: 10x on a terminal, else instant); nothing is waited for longer than 3 s",
      pace,
    )
    .action(async (run, options) => end(await (await import("./replay.ts")).replay(run, options)));

  command("export", "write a recorded run into one file, to be replayed on any machine")
    .argument("<run>", "its id, `last`, or a file that `hox export` wrote", oneLine)
    .argument("<file>", "for instance run.hoxrun; one that is there already is kept", oneLine)
    .option("--markdown", "a page to read, in place of a recording (so is a file that ends with .md)")
    .action(async (run, file, options) =>
      end(await (await import("./export.ts")).exportRun(run, file, options)),
    );
}

/** How many times as fast as it was; Infinity: nothing is waited for. */
function pace(value: string): number {
  if (value === "instant") return Infinity;
  const times = Number(/^(\d+(?:\.\d+)?)x?$/u.exec(value)?.[1]);
  if (!(times > 0)) throw new InvalidArgumentError("It is a number of times, such as 10x, or instant.");
  return times;
}
