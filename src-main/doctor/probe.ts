import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { childEnvironment } from "../config/child-environment.ts";

export type Probe =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly reason: string };

/** Runs a program once and waits a little; never throws, because a program that cannot run is an answer. */
export const probe = (program: string, args: readonly string[], limitMs = 20_000): Promise<Probe> =>
  new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        timeout: limitMs,
        windowsHide: true,
        cwd: homedir(),
        env: childEnvironment(),
      },
      (error, stdout, stderr) => {
        if (!error) return resolve({ ok: true, output: `${stdout}${stderr}` });
        const lastLine = stderr.trim().split("\n").at(-1);
        resolve({
          ok: false,
          reason: error.killed ? `it did not exit within ${limitMs / 1000} s` : lastLine || error.message,
        });
      },
    );
  });

/** The version number in what a program says about itself. */
export const versionIn = (output: string): string | null =>
  /(?<!\d)\d+\.\d+(?:\.\d+)*/.exec(output)?.[0] ?? null;

/** Compares versions number by number: 1.10 is later than 1.9. */
export function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string): number[] => text.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const have = numbers(version);
  for (const [index, wanted] of numbers(least).entries()) {
    const difference = (have[index] ?? 0) - wanted;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
