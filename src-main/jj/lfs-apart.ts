/** git-lfs where a landing needs it: with the content that this machine has, and nothing else of the repository. */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeEmptyRepository } from "./empty-repository.ts";
import { readGitCheckout } from "./git-checkout.ts";
import { effectiveFilters, type GitSetting, type SettingToGive } from "./git-settings.ts";
import { lfsFolder } from "./lfs-folder.ts";

/**
 * Runs with settings that start the filters of git-lfs in an empty repository. An address, credentials, a proxy, another
 * program, `.lfsconfig`: git-lfs finds none of them there, so it neither asks anybody nor starts anything. Where content
 * is not on this machine the pointer stays, until the user fetches it.
 */
export async function withLfsApart<T>(
  root: string,
  settings: readonly GitSetting[],
  use: (settings: readonly SettingToGive[]) => Promise<T>,
): Promise<T> {
  const filters = effectiveFilters(settings).filter(
    ({ name, command }) => command !== "" && (name === "lfs" || /\bgit[- ]lfs\b/u.test(command)),
  );
  const gitFolder = readGitCheckout(root)?.commonFolder;
  if (filters.length === 0 || gitFolder === undefined) return use([]);
  const storage = settings.findLast(({ key }) => key === "lfs.storage");
  const contents = lfsFolder(gitFolder, { scope: storage?.scope ?? "", value: storage?.value ?? "" });
  const folder = await mkdtemp(join(tmpdir(), "hox-lfs-"));
  try {
    await makeEmptyRepository(folder, "[lfs]\n\tskipdownloaderrors = true\n");
    // Contents and drafts.
    await mkdir(contents, { recursive: true });
    await symlink(contents, join(folder, ".git", "lfs"), "junction");
    return await use(filters.map(({ key, command }) => [key, `${entering(folder)}${command}`]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A beginning for a command of a filter, which git gives to a shell. */
const entering = (folder: string): string =>
  [
    `cd ${quoted(folder)}`,
    `unset OLDPWD $(env | sed -n 's/^\\(GIT_[A-Z0-9_]*\\)=.*/\\1/p')`,
    `export GIT_DIR=${quoted(join(folder, ".git"))} GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1`,
    "",
  ].join(" && ");

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
