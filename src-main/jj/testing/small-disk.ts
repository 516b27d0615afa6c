import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** A disk of a few MB that really runs full. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all of its room but so many bytes. */
  fill(leave?: number): void;
  makeRoom(): void;
  remove(): void;
}

const run = (program: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(error?.message ?? `${program} ${args.join(" ")}: ${stderr.trim()}`);
  return stdout.trim();
};

/** Mounts a disk in memory. @throws Error where this system does not let one */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true });
  run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=1777`, "hox-test", folder);
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill(leave = 0) {
      const file = openSync(ballast, "a");
      const block = Buffer.alloc(4096);
      try {
        for (let { bavail, bsize } = statfsSync(folder); bavail * bsize > leave; bavail--)
          writeSync(file, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    remove: () => void run("umount", "-l", folder),
  };
}

/**
 * Mounts a disk whose medium fails: what it has not written yet it cannot write any more while its own file lies on a
 * disk that is full, and the system answers with an input/output error.
 * @throws Error where this system does not let one
 */
export function mountFailingDisk(folder: string): SmallDisk {
  const below = mountSmallDisk(join(folder, "below"), 6);
  const image = join(below.folder, "image");
  const at = join(folder, "disk");
  mkdirSync(at);
  try {
    writeFileSync(image, "");
    truncateSync(image, 64 * 2 ** 20);
    run("mkfs.ext4", "-q", "-O", "^has_journal", "-E", "nodiscard,lazy_itable_init=1", image);
    run("mount", "-o", "loop,errors=continue", image, at);
  } catch (error) {
    below.remove();
    throw error;
  }
  return {
    folder: at,
    fill: () => below.fill(),
    makeRoom: () => below.makeRoom(),
    remove() {
      run("umount", at);
      below.remove();
    },
  };
}
