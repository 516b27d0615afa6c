/** `hox trust`: settings of a repository that loosen the user's limits count only when the user has trusted them. */
import type { UntrustedSetting } from "#shared/contract/views/start.ts";
import { untrustedLines } from "#shared/domain/start/untrusted-settings.ts";
import { folderView } from "../api/folder-view.ts";
import { loadConfig } from "../config/config.ts";
import type { ConfigPlace, LoadedConfig } from "../config/config-interface.ts";
import { readSettings } from "../config/settings.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { trustSettings } from "../config/trusted-settings.ts";
import { unpricedModels } from "../model/price-table.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printError, printJson } from "./output.ts";

interface TrustOptions extends CommonOptions {
  readonly ignore?: boolean;
  readonly yes?: boolean;
}

/** Where the settings of a repository are, for a command that opens no engine. */
export async function configPlace(root: string): Promise<ConfigPlace> {
  const stateFolder = defaultStateFolder();
  const { settings } = await readSettings(stateFolder);
  return { root, stateFolder: repositoryStateFolder(stateFolder, root), settings };
}

/** The settings in force in a repository, for a command that opens no engine. */
export const configIn = async (root: string): Promise<LoadedConfig> => loadConfig(await configPlace(root));

/** Lists what is not in force, and trusts or ignores it after a yes. A Hox that is open here follows at once. */
export async function trust(options: TrustOptions): Promise<ExitCode> {
  const view = await folderView(folderOf(options));
  if ("remedy" in view) throw new CommandError(view.reason, view.remedy);
  const place = await configPlace(view.root);
  const { untrusted } = await loadConfig(place, unpricedModels);
  if (options.json) for (const one of untrusted) printJson({ kind: "untrusted", ...one });
  else if (untrusted.length === 0) print("No settings in .hox/config.toml need your trust.");
  else for (const line of untrustedLines(untrusted)) print(line);
  if (untrusted.length === 0) return exitCode.done;
  const answer = options.ignore ? "ignore" : "trust";
  if (answer === "trust") await consent(options, "Trust these settings?");
  await trustSettings(
    place.stateFolder,
    untrusted.map(({ text }) => text),
    answer,
  );
  if (!options.json)
    print(
      answer === "trust"
        ? "The settings now apply. Hox asks again if one changes."
        : "The settings stay ignored. Hox asks again if one changes.",
    );
  return exitCode.done;
}

/** For a command that continues without them. */
export function printUntrusted(untrusted: readonly UntrustedSetting[], { json }: CommonOptions): void {
  const asked = untrusted.filter(({ isIgnored }) => !isIgnored);
  if (asked.length === 0) return;
  if (json) printJson({ kind: "untrusted", settings: asked });
  else {
    for (const line of untrustedLines(asked)) printError(line);
    printError("To apply them: hox trust");
  }
}
