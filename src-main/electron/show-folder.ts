import { spawn } from "node:child_process";
import { lstat } from "node:fs/promises";
import { shell } from "electron";
import { childEnvironment } from "../config/child-environment.ts";

/** A file manager may stay in the foreground: one that has not failed by then is taken to be open. */
const failsWithinMs = 3_000;

/**
 * Shows a folder in the system's file manager. Only a real folder: what opens a file would start the program that the
 * file asks for, and a link may have been put in the folder's place.
 */
export async function showFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (!found?.isDirectory()) throw failure(`${folder} is not a folder.`);
  const problem = await (process.platform === "linux" ? openWithDesktop(folder) : shell.openPath(folder));
  if (problem !== "") throw failure(`The system did not open ${folder}: ${problem}`);
}

/** What Electron does on Linux too, but without handing the file manager our environment and the key in it. */
function openWithDesktop(folder: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("xdg-open", [folder], { stdio: "ignore", env: childEnvironment("desktop") });
    const late = setTimeout(() => resolve(""), failsWithinMs);
    const end = (problem: string): void => {
      clearTimeout(late);
      resolve(problem);
    };
    child.once("error", ({ message }) => end(message));
    child.once("exit", (code) => end(code === 0 ? "" : `xdg-open ended with ${code ?? "a signal"}`));
  });
}

const failure = (message: string): Error =>
  Object.assign(new Error(message), { remedy: "Copy the path and open it yourself." });
