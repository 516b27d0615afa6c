import { cp, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { initPlain } from "../jj/init.ts";
import { createJj } from "../jj/process/process.ts";
import { type Rehearsal, rehearsalNamed } from "./rehearsals.ts";

/** The folder for the copy holds something already. */
export class FolderNotEmpty extends Error {
  override readonly name = "FolderNotEmpty";
  constructor(folder: string) {
    super(`${folder} is not empty. Choose another folder for the rehearsal; nothing was copied.`);
  }
}

/**
 * Copies the example into an empty or missing folder and creates a short history: a few commits with a fixed
 * author and fixed dates, the bookmark `main`, and an empty working copy of the user.
 * @param signal cancels between two steps, and a running jj process; leftovers stay
 */
export async function prepareRehearsal(
  name: string,
  targetFolder: string,
  signal?: AbortSignal,
): Promise<Rehearsal> {
  const rehearsal = rehearsalNamed(name);
  await mkdir(targetFolder, { recursive: true });
  if ((await readdir(targetFolder)).length > 0) throw new FolderNotEmpty(targetFolder);
  // Without .git it needs no git on the machine.
  await initPlain(targetFolder, { colocate: false });
  const jj = createJj();
  const jjHere = (args: readonly string[]) => jj.run({ args, cwd: targetFolder, signal });
  for (const { at, message, files } of rehearsal.history) {
    signal?.throwIfAborted();
    for (const file of files) {
      await mkdir(dirname(join(targetFolder, file)), { recursive: true });
      await cp(join(rehearsal.example, file), join(targetFolder, file));
    }
    const identity = [
      `user.name=${JSON.stringify(rehearsal.author.name)}`,
      `user.email=${JSON.stringify(rehearsal.author.email)}`,
      `debug.commit-timestamp=${JSON.stringify(at)}`,
      'snapshot.auto-track="all()"',
    ];
    // An existing working copy has the user's name; these commits are the crew's.
    await jjHere([
      ...identity.flatMap((setting) => ["--config", setting]),
      "--quiet",
      "metaedit",
      "--update-author",
      "-m",
      message,
    ]);
    await jjHere([...identity.flatMap((setting) => ["--config", setting]), "--quiet", "new"]);
  }
  await jjHere(["--quiet", "bookmark", "set", "main", "-r", "@-"]);
  // A run there commits too, even on a machine without a configured identity.
  for (const key of ["name", "email"] as const) {
    const known = await jjHere(["config", "get", `user.${key}`]).catch(() => ({ stdout: "" }));
    if (known.stdout.trim() === "")
      await jjHere(["config", "set", "--repo", `user.${key}`, rehearsal.author[key]]);
  }
  await jjHere(["--quiet", "new", "main"]);
  return rehearsal;
}
