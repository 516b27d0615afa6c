/** Looks that were made, by all on which they depend: the same commit is not tried twice. Losing the file loses nothing. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Preflight } from "#shared/domain/project/preflight.ts";
import { writeFileAtomically } from "../../config/atomic-file.ts";

interface Kept {
  readonly key: string;
  readonly look: Preflight;
}

const maxEntries = 20;
const pathOf = (stateFolder: string): string => join(stateFolder, "preflights.json");

export async function keptLook(stateFolder: string, key: string): Promise<Preflight | null> {
  return (await read(stateFolder)).find((kept) => kept.key === key)?.look ?? null;
}

export async function keepLook(stateFolder: string, key: string, look: Preflight): Promise<void> {
  const others = (await read(stateFolder)).filter((kept) => kept.key !== key);
  await writeFileAtomically(
    pathOf(stateFolder),
    JSON.stringify([{ key, look }, ...others].slice(0, maxEntries)),
  );
}

/** The newest preflight of a commit with any settings, when a new one is not allowed. */
export async function lastLookAt(stateFolder: string, commit: string): Promise<Preflight | null> {
  return (await read(stateFolder)).find(({ look }) => look.commitId === commit)?.look ?? null;
}

async function read(stateFolder: string): Promise<readonly Kept[]> {
  let text: string;
  try {
    text = await readFile(pathOf(stateFolder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? (kept as Kept[]) : [];
  } catch {
    // Truncated by a full disk: the next preflight replaces it.
    return [];
  }
}
