/**
 * How a terminal of the same user gets another address from a host that serves a browser: the host writes where it
 * listens, and a secret, into `serving/<pid>.json` of its state folder, which only its user can read.
 */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { addressPath } from "#shared/contract/loopback.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";

const note = z.object({
  pid: z.number(),
  port: z.number(),
  secret: z.string(),
  /** Where other people open it; left out: it serves nobody else. */
  people: z.string().optional(),
  /** Where machines reach it with TLS; left out: nowhere. */
  workers: z.string().optional(),
});
export type ServingNote = z.infer<typeof note>;

const folderOf = (stateFolder: string): string => join(stateFolder, "serving");
const answer = z.object({ address: z.string() });
const patienceMs = 5_000;

/** Writes the note of this process; the answer removes it. */
export async function writeServingNote(
  stateFolder: string,
  served: Omit<ServingNote, "pid">,
): Promise<() => Promise<void>> {
  const path = join(folderOf(stateFolder), `${process.pid}.json`);
  await writeFileAtomically(path, JSON.stringify({ pid: process.pid, ...served } satisfies ServingNote));
  return () => rm(path, { force: true });
}

/** Notes of serving hosts, newest port last; a killed host may have left one. */
export async function servingNotes(stateFolder: string): Promise<readonly ServingNote[]> {
  const names = await readdir(folderOf(stateFolder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const notes = await Promise.all(
    names
      .filter((name) => /^\d+\.json$/u.test(name))
      .map(async (name) => note.parse(JSON.parse(await readFile(join(folderOf(stateFolder), name), "utf8")))),
  );
  return notes.toSorted((a, b) => a.port - b.port);
}

/** Where a host of this user that runs now serves people or machines from elsewhere; null: none does. */
export async function servedAt(stateFolder: string, to: "people" | "workers"): Promise<string | null> {
  for (const note of await servingNotes(stateFolder)) {
    const address = note[to];
    if (address !== undefined && (await isOwnedByUs(note))) return address;
  }
  return null;
}

/** A new address of that host, or null if it does not answer any more. */
export async function askForAddress({ pid, port, secret }: ServingNote): Promise<string | null> {
  // The port of a killed host may belong to another user by now: that one must get no secret and provide no
  // address.
  if (!(await isOwnedByUs({ pid, port }))) return null;
  try {
    const response = await fetch(`http://127.0.0.1:${port}${addressPath}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(patienceMs),
    });
    if (!response.ok) return null;
    return answer.parse(await response.json()).address;
  } catch (error) {
    // Refused, silent, or something else that listens at that port now.
    if (error instanceof TypeError || error instanceof z.ZodError || error instanceof SyntaxError)
      return null;
    if (error instanceof DOMException) return null;
    throw error;
  }
}

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
