/** Results of forks as separate files, for other programs (`hive.ipc_mode`). */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ForkResult } from "#shared/domain/fork/fork-events.ts";
import { bestEffort } from "../kernel/best-effort.ts";
import type { Run } from "../ports.ts";

type Where = Pick<Run, "id" | "stateFolder" | "emit" | "runEnded">;

const folderOf = ({ stateFolder, id }: Where): string => join(stateFolder, "forks", id);

/** The journal has it already: a failed write is reported and loses nothing. */
export async function writeForkResult(run: Where, fork: string, result: ForkResult): Promise<void> {
  await bestEffort(run, `The result of ${fork} could not be written`, async () => {
    await mkdir(folderOf(run), { recursive: true });
    await writeFile(join(folderOf(run), `${fork}.json`), `${JSON.stringify(result, null, 2)}\n`);
  });
}

/** Takes the files of a run away; what they hold stays in the journal. */
export async function removeForkResults(run: Where): Promise<void> {
  await bestEffort(run, "The results of forks could not be removed", () =>
    rm(folderOf(run), { recursive: true, force: true }),
  );
}
