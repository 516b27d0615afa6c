import { InvalidArgumentError } from "commander";
import { oneLine } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** Recorded runs: watched again, and taken to another machine. */
export function addReplayCommands({ command, end }: CommandList): void {
  command("replay", "replay a recorded run without a model; changes nothing")
    .argument("<run>", "run ID, `last`, or a file from `hox export`", oneLine)
    .option(
      "--pace <pace>",
      "speed, such as 10x, or `instant` (default: 10x on a terminal, else instant); pauses are at most 3 s",
      pace,
    )
    .action(async (run, options) => end(await (await import("./replay.ts")).replay(run, options)));

  command("export", "write a recorded run to one file that any machine can replay")
    .argument("<run>", "run ID, `last`, or a file from `hox export`", oneLine)
    .argument("<file>", "file to write, for example run.hoxrun; existing files are not overwritten", oneLine)
    .option("--markdown", "write a readable page instead of a recording (default for files ending in .md)")
    .action(async (run, file, options) =>
      end(await (await import("./export.ts")).exportRun(run, file, options)),
    );
}

/** How many times as fast as it was; Infinity: nothing is waited for. */
function pace(value: string): number {
  if (value === "instant") return Infinity;
  const times = Number(/^(\d+(?:\.\d+)?)x?$/u.exec(value)?.[1]);
  if (!(times > 0)) throw new InvalidArgumentError("Must be a factor such as 10x, or instant.");
  return times;
}
