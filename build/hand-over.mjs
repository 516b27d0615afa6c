import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a program in our place: its input and output are ours, signals reach it, its exit code becomes ours.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(text: string) => void} [options.onError] hears what the program writes to its error output, beside us
 * @param {(signal: NodeJS.Signals) => void} [options.onSignal] the program was ended by it
 * @returns {Promise<number>} the exit code, 128 and the signal's number when a signal ended it
 */
export function handOver(program, args, { onError, onSignal, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...options,
      stdio: ["inherit", "inherit", onError ? "pipe" : "inherit"],
    });
    if (onError) {
      // Of a terminal that has closed nobody reads any more; that must not end us before the program has saved.
      process.stderr.on("error", () => undefined);
      child.stderr?.on("data", (data) => {
        process.stderr.write(data);
        onError(data.toString());
      });
    }
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      // Ctrl-C in a terminal has already reached the whole group; a second one would cut the orderly end short.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    };
    /** @type {NodeJS.Signals[]} */
    const signals = process.platform === "win32" ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, pass);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      for (const each of signals) process.off(each, pass);
      if (signal) onSignal?.(signal);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/** Where the user stands; npm moves to the project's folder and leaves this word. */
export const invocationFolder = () =>
  (process.env.npm_lifecycle_event && process.env.INIT_CWD) || process.cwd();
