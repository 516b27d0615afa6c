import { lstat } from "node:fs/promises";
import { shell } from "electron";
import { openOnLinuxDesktop } from "./desktop-open.ts";

/**
 * Shows a folder in the system's file manager. Only a real folder: what opens a file would start the program that the
 * file asks for, and a link may have been put in the folder's place.
 */
export async function showFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (!found?.isDirectory()) throw failure(`${folder} is not a folder.`);
  const problem = await (process.platform === "linux" ? openOnLinuxDesktop(folder) : shell.openPath(folder));
  if (problem !== "") throw failure(`The system did not open ${folder}: ${problem}`);
}

const failure = (message: string): Error =>
  Object.assign(new Error(message), { remedy: "Copy the path and open it yourself." });
