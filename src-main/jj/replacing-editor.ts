import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What makes a text be a file's whole content when jj asks for it to be edited; jj appends that file's path. */
const shell = 'mkdir -p -- "$(dirname -- "$1")" && cat -- "$0" > "$1"';

/**
 * The same for Windows, as a batch file: it is in every Windows, and takes paths as they are. Hox's own program would
 * not do: packaged, it has given up running scripts (the fuse `runAsNode`), and would open a window for each file.
 */
const batch = [
  "@echo off",
  "setlocal disabledelayedexpansion",
  'if not exist "%~dp2" mkdir "%~dp2"',
  'copy /b /y "%~f1" "%~f2" >nul',
  "if errorlevel 1 exit 1",
  "exit 0",
  "",
].join("\r\n");

/**
 * The editor command that replaces what jj shows it by the content of a file. The folder of the file that jj names may
 * be new.
 * @param staged the file with the content
 * @param folder a private folder that stays until jj has ended
 * @returns program and arguments for `JjCall.editor`
 */
export async function replacingEditor(
  staged: string,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly string[]> {
  if (platform !== "win32") return ["/bin/sh", "-c", shell, staged];
  const script = join(folder, "replace-file.cmd");
  await writeFile(script, batch);
  return [script, staged];
}
