import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Row } from "./row.ts";

const program = fileURLToPath(new URL("bench-program.ts", import.meta.url));
/** Hosts save before they end. */
const graceMs = 10_000;

/**
 * Runs one benchmark in a separate process group, so that what it has started ends with it, however it ends.
 * @param file the benchmark's module
 * @returns whether it came to its end
 */
export async function runBench(
  file: string,
  {
    temporary,
    signal,
    onRow,
  }: {
    /** For its temporary files. */
    readonly temporary: string;
    readonly signal: AbortSignal;
    readonly onRow: (row: Row) => void;
  },
): Promise<boolean> {
  if (signal.aborted) return false;
  const child = fork(program, [file], {
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    // Windows cannot end a whole group at once.
    detached: process.platform !== "win32",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let ending: Promise<void> | null = null;
  const end = (): void => {
    ending ??= endGroup(child);
  };
  signal.addEventListener("abort", end);
  child.on("message", (row: Row) => onRow(row));
  // What it said last may be read after it has ended.
  const disconnected = once(child, "disconnect");
  const [code] = await once(child, "exit");
  await disconnected;
  signal.removeEventListener("abort", end);
  end();
  await ending;
  return code === 0;
}

/** Whether there was anybody to send it to; 0 only asks. */
function send(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  if (process.platform === "win32") return child.kill(signal);
  try {
    return process.kill(-child.pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

/** Ends it and all in its group, by force what takes too long. */
async function endGroup(child: ChildProcess): Promise<void> {
  const deadline = performance.now() + graceMs;
  for (let lives = send(child, "SIGTERM"); lives; lives = send(child, 0)) {
    if (performance.now() > deadline) {
      send(child, "SIGKILL");
      return;
    }
    await pause(20);
  }
}
