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

/** The range of a table in lines: its header, and the first line after it. Null if it does not exist. */
export function tableLines(
  lines: readonly string[],
  name: string,
): { readonly header: number; readonly end: number } | null {
  const header = lines.findIndex((line) => new RegExp(`^\\s*\\[\\s*${name}\\s*\\]`, "u").test(line));
  if (header === -1) return null;
  const next = lines.findIndex(
    (line, index) => index > header && /^\s*\[/u.test(line) && !/^\s*\[\s*[{"'\]]/u.test(line),
  );
  return { header, end: next === -1 ? lines.length : next };
}

/** A text with a table more at its end. */
export function withTable(source: string, name: string, keys: readonly string[]): string {
  const gap = source === "" || source.endsWith("\n\n") ? "" : source.endsWith("\n") ? "\n" : "\n\n";
  return `${source}${gap}[${name}]\n${keys.join("\n")}\n`;
}
