import { commandOf } from "./command-of.ts";
import { operationHolds, readHeads, type Store } from "./op-heads.ts";
import type { Jj, JjCall } from "./process.ts";

/** Commands that are there to record the files. */
const onlyRecords: readonly string[] = ["log", "util"];

/** Makes what finds the operation that a command of ours made, by its mark. */
export function createMarkSearch(jj: Jj, store: Store) {
  /** The operation that carries `mark`, when it is a head or stands shortly below one. */
  async function findMarked(mark: string, folder: string): Promise<string | undefined> {
    const heads = await readHeads(store);
    for (const head of heads) {
      if (await operationHolds(store, head, `hox.write=${mark}`)) return head;
    }
    const call: JjCall = {
      args: [
        "-R",
        folder,
        `--at-op=${heads[0] ?? "@"}`,
        "--ignore-working-copy",
        "--quiet",
        "op",
        "log",
        "--no-graph",
        "--limit=40",
        "-T",
        `self.id() ++ " " ++ if(self.attributes().contains("hox.write=${mark}"), "1", "0") ++ "\\n"`,
      ],
      cwd: folder,
    };
    const { stdout } = await jj.run(call);
    return stdout
      .split("\n")
      .find((line) => line.endsWith(" 1"))
      ?.split(" ")[0];
  }

  /** What a command did that was disturbed: to record the files first, in an operation of its own, is not it. */
  async function findDone(
    mark: string,
    command: { readonly args: readonly string[]; readonly folder: string },
  ): Promise<string | undefined> {
    const own = await findMarked(mark, command.folder);
    if (own === undefined || onlyRecords.includes(commandOf(command.args))) return own;
    return (await operationHolds(store, own, "snapshot working copy")) === true ? undefined : own;
  }

  return { findMarked, findDone };
}
