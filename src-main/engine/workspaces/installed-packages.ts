/**
 * Packages that an installation of this run left: copied into every workspace and checkout, instead of those
 * of the user's folder, which are older.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "#shared/domain/dependencies/install-command.ts";
import type { InstallCommand, InstalledPackages } from "#shared/run/events.ts";
import { inParent } from "../../disk/folder.ts";
import { removeEntry } from "../../disk/remove-tree.ts";
import { removeWorkspaceLayer } from "../../tools/sandbox/layers.ts";
import type { Run } from "../ports.ts";

/** What the last installation of the run left, or null. */
export function installedPackages(run: Pick<Run, "facts">): InstalledPackages | null {
  const kept = run.facts.packages;
  return kept !== null && existsSync(kept.folder) ? kept : null;
}

export const installHostsSetting = "hosts in [dependencies] of .hox/config.toml";

/**
 * The command that does an installation again where its packages cannot be copied to. What it writes into manifests and lock
 * files is taken back: they say already what was installed.
 */
export function installAgain({ command, folder, files, hosts, environment }: InstallCommand) {
  const kept = files.map((path, index) => ({ path: quoted(path), copy: `"$kept/${index}"` }));
  return {
    command: [
      "kept=$(mktemp -d) || exit 1",
      ...kept.map(({ path, copy }) => `test ! -e ${path} || cp -p ${path} ${copy} || exit 1`),
      `( ${folder === "" ? "" : `cd ${quoted(folder)} && `}{ ${command}`,
      "} )",
      "code=$?",
      ...kept.map(
        ({ path, copy }) => `if test -e ${copy}; then cp -p ${copy} ${path}; else rm -f ${path}; fi`,
      ),
      'rm -rf "$kept"',
      "exit $code",
    ].join("\n"),
    environment,
    exactPaths: { writable: files },
    network: { hosts, setting: installHostsSetting },
  };
}

/** Where a run keeps what its installations left. */
export const packagesFolder = (stateFolder: string, run: string): string =>
  join(stateFolder, "packages", run);

/** Takes folders of packages out of a workspace, so that others can be brought there. No link is followed. */
export async function removePackages(workspace: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await inParent(workspace, name, removeEntry);
    await removeWorkspaceLayer(workspace, name);
  }
}
