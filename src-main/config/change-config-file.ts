import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writablePath } from "../disk/repository-files.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { configFile, looseTexts, readConfigFile } from "./config.ts";
import type { ConfigPlace } from "./config-interface.ts";
import { repositoryStateFolder } from "./state-folder.ts";
import { trustSettings } from "./trusted-settings.ts";

/** Whose settings are changed. */
export type EditedConfig = Pick<ConfigPlace, "root" | "stateFolder">;

/**
 * Changes a repository's settings for the user. An unchanged text is not written. What the change adds is the
 * user's and so trusted; what was there before and is not trusted stays so.
 */
export async function changeConfigFile(
  { root, stateFolder }: EditedConfig,
  change: (source: string) => string,
): Promise<void> {
  const path = writablePath(root, configFile);
  const source = readConfigFile(root) ?? "";
  const text = change(source);
  if (text === source) return;
  const before = looseTexts(source);
  await trustSettings(
    stateFolder,
    looseTexts(text).filter((added) => !before.includes(added)),
    "trust",
  );
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomically(path, text);
}

/** Trusts every setting of the file: for a repository that Hox itself has made, as that of a rehearsal. */
export async function trustConfigFile({ root, stateFolder }: EditedConfig): Promise<void> {
  await trustSettings(stateFolder, looseTexts(readConfigFile(root) ?? ""), "trust");
}

/** @param appState the state folder of the app, which holds those of all repositories */
export const trustRepositoryConfig = (appState: string, root: string): Promise<void> =>
  trustConfigFile({ root, stateFolder: repositoryStateFolder(appState, root) });
