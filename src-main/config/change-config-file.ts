import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writablePath } from "../disk/repository-files.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { configFile, readConfigFile } from "./config.ts";

/** Changes the settings of a repository. A text that stays the same is not written. */
export async function changeConfigFile(
  repositoryRoot: string,
  change: (source: string) => string,
): Promise<void> {
  const path = writablePath(repositoryRoot, configFile);
  const source = readConfigFile(repositoryRoot) ?? "";
  const text = change(source);
  if (text === source) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomically(path, text);
}

/** Where a table stands among lines: its header, and the first line that is not its own. Null: nowhere. */
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
