import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import type { Engine } from "../engine/engine-interface.ts";
import { printError } from "../log/log.ts";

/** What `hox status` shows, also while another process holds the repository. */
export interface StatusFile {
  readonly at: number;
  /** The process that works on the repository, or null when it was left in order. */
  readonly pid: number | null;
  /** The newest active run, else the newest one. */
  readonly run: RunView | null;
  /** Other active runs. */
  readonly otherRuns: readonly RunView[];
  readonly inbox: readonly InboxItem[];
}

const everyMs = 2_000;
const pathOf = (stateFolder: string): string => join(stateFolder, "status.json");

export type StatusFileKeeper = ReturnType<typeof keepStatusFile>;

/** The one who writes the status of a repository, for as long as its engine is open. It is a view: losing it loses nothing. */
export function keepStatusFile(engine: Pick<Engine, "state" | "listen">, stateFolder: string) {
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;
  let writing: Promise<void> = Promise.resolve();
  const write = (pid: number | null): void => {
    const { run, inbox, otherRuns } = engine.state();
    const status: StatusFile = {
      at: Date.now(),
      pid,
      run,
      otherRuns: otherRuns.map((one) => one.run),
      inbox,
    };
    writing = writing
      .then(() => writeFileAtomically(pathOf(stateFolder), JSON.stringify(status)))
      .catch((error: unknown) => printError("the status could not be written", error));
  };
  const changed = (): void => {
    // Events during closing come too late to be read from it.
    if (isClosed) return;
    timer ??= setTimeout(() => {
      timer = null;
      write(process.pid);
    }, everyMs);
  };
  return {
    /** Writes now and whenever the run or the inbox changes, at most every two seconds. */
    follow(): void {
      changed();
      engine.listen((event) => {
        if (event.kind === "run" || event.kind === "run-update" || event.kind === "inbox") changed();
      });
    },
    /** Writes the final status. */
    async close(): Promise<void> {
      isClosed = true;
      if (timer) clearTimeout(timer);
      write(null);
      await writing;
    },
  };
}

/** The last status of a repository, or null when Hox never worked on it. */
export async function readStatus(stateFolder: string): Promise<StatusFile | null> {
  let text: string;
  try {
    text = await readFile(pathOf(stateFolder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  return statusIn(text);
}

/** Whether a process is working on a repository's unfinished runs, or has paused them all. */
export function workElsewhere(stateFolder: string): "goes-on" | "paused" | null {
  try {
    const { pid, run, otherRuns } = statusIn(readFileSync(pathOf(stateFolder), "utf8"));
    if (pid === null) return null;
    const going = [...(run ? [run] : []), ...otherRuns].filter(({ endedAt }) => endedAt === null);
    if (going.length === 0) return null;
    return going.some(({ paused }) => paused === "no" || paused === "pausing") ? "goes-on" : "paused";
  } catch {
    // An unreadable view counts as no process.
    return null;
  }
}

function statusIn(text: string): StatusFile {
  const status = JSON.parse(text) as StatusFile;
  return status.pid !== null && !isAlive(status.pid) ? { ...status, pid: null } : status;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
