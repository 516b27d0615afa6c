/** Whether a port of this machine is still held by the process that a note of this user's names. */
import { readFile } from "node:fs/promises";

/** 127.0.0.1 as Linux writes it there on every processor that Hox runs on. */
const loopback = "0100007F";
const listening = "0A";

/**
 * A note is left behind when its host is killed, and any program may take the port then: nothing is sent
 * there unless the note's process is alive and, if the system reports a port's owner (Linux), the port
 * belongs to this user.
 */
export async function isOwnedByUs({
  pid,
  port,
}: {
  readonly pid: number;
  readonly port: number;
}): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    // Gone, or a process of another user by now.
    return false;
  }
  if (process.platform !== "linux" || process.getuid === undefined) return true;
  const table = await readFile("/proc/net/tcp", "utf8").catch(() => null);
  // Hox listens at 127.0.0.1 exactly: a listener on all addresses (0.0.0.0, ::) is another program.
  return table === null || ownerIn(table, port) === process.getuid();
}

/**
 * @param table `/proc/net/tcp`
 * @returns the user id that listens at this port of 127.0.0.1; null if there is none
 */
export function ownerIn(table: string, port: number): number | null {
  const wanted = `${loopback}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of table.split("\n")) {
    const [, local, , state, , , , owner] = line.trim().split(/\s+/u);
    if (local === wanted && state === listening && owner !== undefined) return Number(owner);
  }
  return null;
}
