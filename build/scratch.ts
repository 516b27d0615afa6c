import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The folder that Linux keeps in memory. A container may give it 64 MB or nothing; then tests stay on the disk. */
const memory = "/dev/shm";
const needed = 3 * 2 ** 30;
const prefix = "hox-tests-";
const staleMs = 2 * 60 * 60_000;

/**
 * Gives a test run a folder in memory for its temporary files, where there is one that is large enough. jj and SQLite
 * wait for the disk with each write, and a run of the tests makes tens of thousands of them.
 * Vitest and Playwright both call it once before their workers start, and what it answers once at their end.
 */
export default function scratch(): (() => void) | undefined {
  if (process.env.TMPDIR || !roomInMemory()) return undefined;
  removeLeftBehind();
  const folder = realpathSync(mkdtempSync(join(memory, prefix)));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (!runsPrograms(folder)) {
    remove();
    return undefined;
  }
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    remove();
  };
}

function roomInMemory(): boolean {
  if (process.platform !== "linux" || process.availableMemory() < 2 * needed) return false;
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= needed;
  } catch {
    return false;
  }
}

/** Some systems mount it so that no program starts from there, and agents' checks are programs. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** A run that was killed could not remove its folder, and memory is dearer than disk. One that goes on writes to its own. */
function removeLeftBehind(): void {
  for (const entry of readdirSync(memory).filter((name) => name.startsWith(prefix))) {
    const folder = join(memory, entry);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found && found.uid === process.getuid?.() && Date.now() - found.mtimeMs > staleMs)
      rmSync(folder, { recursive: true, force: true });
  }
}
