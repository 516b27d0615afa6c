/** Where a fork works: in its caller's files, apart from the other forks that work there. */
import { heldByOthers, holderOf } from "#shared/domain/fork/fork-events.ts";
import { ToolFailure } from "../../../../tools/tool-failure.ts";
import type { FileAccess, ToolContext } from "../../../../tools/tool-interface.ts";
import type { RunReader, RunWriter } from "../../../ports.ts";

/**
 * Its caller's tools' context in its own name. The first fork that writes a path holds it until it comes to its end;
 * a command gives back what it changed of files that others hold.
 *
 * @param caller as the call was made with
 */
export const forkContext = (run: RunReader & RunWriter, fork: string, caller: ToolContext): ToolContext => ({
  ...caller,
  agent: fork,
  files: withClaims(run, fork, caller.files),
  run: (command) =>
    caller.run({
      ...command,
      exactPaths: {
        ...command.exactPaths,
        claimed: [...(command.exactPaths?.claimed ?? []), ...heldByOthers(run.facts.forks, fork)],
      },
    }),
});

function withClaims(run: RunReader & RunWriter, fork: string, files: FileAccess): FileAccess {
  const claim = (path: string): void => {
    const holder = holderOf(run.facts.forks, fork, path);
    if (holder !== null)
      throw new ToolFailure(
        "not-allowed",
        `${path} is being written by ${holder.name}, which is working in parallel on: ${firstLine(holder.task)} Leave that file to it, or finish with what you found and let your caller combine both.`,
      );
    if (run.facts.forks[fork]?.files.includes(path) === false) run.append({ kind: "ForkWrote", fork, path });
  };
  return {
    ...files,
    async writeText(path, text, expected) {
      claim(spelling(path));
      return files.writeText(path, text, expected);
    },
    async move(from, to) {
      claim(spelling(from));
      claim(spelling(to));
      return files.move(from, to);
    },
    async remove(path) {
      claim(spelling(path));
      return files.remove(path);
    },
  };
}

/** One spelling for one path below the workspace. */
const spelling = (path: string): string =>
  path
    .split(/[\\/]/u)
    .filter((part) => part !== "" && part !== ".")
    .join("/");

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
