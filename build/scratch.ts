import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The folder that Linux keeps in memory. A container may give it 64 MB or nothing; then tests stay on the disk. */
const memory = "/dev/shm";
const needed = 3 * 2 ** 30;
const name = /^hox-tests-(\d+)-/;

/**
 * Gives a test run a folder in memory for its temporary files, where there is one that is large enough. jj and SQLite
 * wait for the disk with each write, and a run of the tests makes tens of thousands of them.
 * Vitest and Playwright both call it once before their workers start, and what it answers once at their end.
 */
export default function scratch(): (() => void) | undefined {
  if (process.env.TMPDIR || !roomInMemory()) return undefined;
  removeLeftBehind();
  const folder = realpathSync(mkdtempSync(join(memory, `hox-tests-${process.pid}-`)));
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

/** A run that was killed could not remove its folder, and memory is dearer than disk. */
function removeLeftBehind(): void {
  for (const entry of readdirSync(memory)) {
    const owner = name.exec(entry)?.[1];
    if (owner && !isAlive(Number(owner))) rmSync(join(memory, entry), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's is alive too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
