import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeWorkspaceName } from "#shared/domain/change-metadata/address.ts";
import { readBoundedBytesOrNull } from "../../disk/repository-files.ts";
import { isManagedByGit, readGitCheckout } from "../process/git-checkout.ts";
import { locateStore } from "../process/op-heads.ts";
import type { Jj } from "../process/process.ts";
import { newMark, writeMarks } from "../write/marks.ts";

/**
 * A workspace without files for Hox's writes while Git manages the user's folder. jj treats that folder as
 * its own as well: each of its commands there would snapshot the user's files, unstage them, and detach HEAD.
 * From here none of that happens, and our branches reach Git only by `git export`.
 */
const homeFolder = (root: string): string => join(root, ".jj", "hox");

/** New files must not be recorded without being asked for. */
const recordsNoNewFiles = ["--config", 'snapshot.auto-track="none()"'] as const;

/** Creates the finder of the folder from which Hox writes to a repository. */
export function createHome(jj: Jj, root: string) {
  let made: Promise<string> | null = null;
  const home = homeFolder(root);

  async function isRegistered(): Promise<boolean> {
    const { stdout } = await jj.run({
      args: [
        ...["-R", root, "--ignore-working-copy", "--quiet", "workspace", "list"],
        ...["-T", 'self.name() ++ "\\n"'],
      ],
      cwd: root,
    });
    return stdout.split("\n").includes(homeWorkspaceName);
  }

  const isWhole = (): Promise<boolean> =>
    locateStore(home).then(
      () => existsSync(join(home, ".jj", "working_copy")),
      () => false,
    );

  async function make(): Promise<string> {
    const known = await isRegistered();
    if (known && (await isWhole())) return home;
    await rm(home, { recursive: true, force: true });
    await keepingGitIndex(root, async () => {
      const run = (...args: readonly string[]) =>
        jj.run({ head: writeMarks(newMark(), {}), args: ["-R", root, ...args], cwd: root });
      if (known)
        await run("--ignore-working-copy", "--quiet", "workspace", "forget", "--", homeWorkspaceName);
      await run(
        ...recordsNoNewFiles,
        ...["--quiet", "workspace", "add", "--no-colocate", "--name", homeWorkspaceName],
        ...["-r", "root()", "--", home],
      );
    });
    return home;
  }

  return {
    /** The folder for writes to the repository: the user's, or Hox's home. */
    async place(): Promise<string> {
      if (!isManagedByGit(root)) return root;
      made ??= make();
      made.catch(() => {
        made = null;
      });
      return made;
    },
    /** The graph may know no home any more: it is looked for again, and made where it is gone. */
    forget(): void {
      made = null;
    },
  };
}

/** Some 100 bytes for each file of a repository. */
const maxIndexBytes = 1_000_000_000;

/** Runs something that makes jj write Git's index, and puts it back as it was. */
export async function keepingGitIndex<T>(root: string, task: () => Promise<T>): Promise<T> {
  const checkout = readGitCheckout(root);
  const index = checkout === null ? null : join(checkout.gitFolder, "index");
  const before = index === null ? null : readBoundedBytesOrNull(index, maxIndexBytes);
  try {
    return await task();
  } finally {
    if (index !== null && isManagedByGit(root)) await putBack(index, before);
  }
}

async function putBack(index: string, before: Buffer | null): Promise<void> {
  const now = readBoundedBytesOrNull(index, maxIndexBytes);
  if (before === null ? now === null : now?.equals(before)) return;
  if (before === null) return rm(index, { force: true });
  const draft = `${index}.hox-${randomBytes(6).toString("hex")}`;
  await writeFile(draft, before);
  await rename(draft, index);
}
