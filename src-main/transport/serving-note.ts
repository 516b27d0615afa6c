/**
 * How a terminal of the same user gets another address from a host that serves a browser: the host writes where it
 * listens, and a secret, into `serving/<pid>.json` of its state folder, which only its user can read.
 */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { addressPath } from "#shared/contract/loopback.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { isOwnedByUs } from "./port-owner.ts";

const note = z.object({ pid: z.number(), port: z.number(), secret: z.string() });
export type ServingNote = z.infer<typeof note>;

const folderOf = (stateFolder: string): string => join(stateFolder, "serving");
const answer = z.object({ address: z.string() });
const patienceMs = 5_000;

/** Writes the note of this process; the answer removes it. */
export async function writeServingNote(
  stateFolder: string,
  { port, secret }: Omit<ServingNote, "pid">,
): Promise<() => Promise<void>> {
  const path = join(folderOf(stateFolder), `${process.pid}.json`);
  const written: ServingNote = { pid: process.pid, port, secret };
  await writeFileAtomically(path, JSON.stringify(written));
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
