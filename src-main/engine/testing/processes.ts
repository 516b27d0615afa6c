import { runningProcesses } from "../../jj/process/orphan-processes.ts";

/** Ids of the processes whose command line names a text. */
export async function processesNaming(text: string): Promise<readonly number[]> {
  return (await runningProcesses())
    .filter(({ id, command }) => id !== process.pid && command.includes(text))
    .map(({ id }) => id);
}

export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
