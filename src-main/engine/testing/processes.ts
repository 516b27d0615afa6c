import { runningProcesses } from "../../jj/process/orphan-processes.ts";

/** The processes whose command line names a text. */
export const processesNaming = async (text: string) =>
  (await runningProcesses()).filter(({ id, command }) => id !== process.pid && command.includes(text));

export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
