import { spawn } from "node:child_process";
import { childEnvironment } from "../config/child-environment.ts";

/** A program may stay in the foreground: one that has not failed by then is taken to be open. */
const failsWithinMs = 3_000;

/**
 * Opens a folder or a web address with what the person's Linux desktop has for it, as Electron does there, but without
 * handing that program our environment and the key in it. Elsewhere the system starts programs with an environment of
 * its own.
 * @returns what went wrong, or nothing
 */
export function openOnLinuxDesktop(what: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("xdg-open", [what], { stdio: "ignore", env: childEnvironment("desktop") });
    // It stays when Hox ends, and Hox does not wait for it.
    child.unref();
    const late = setTimeout(() => resolve(""), failsWithinMs);
    const end = (problem: string): void => {
      clearTimeout(late);
      resolve(problem);
    };
    child.once("error", ({ message }) => end(message));
    child.once("exit", (code) => end(code === 0 ? "" : `xdg-open ended with ${code ?? "a signal"}`));
  });
}
