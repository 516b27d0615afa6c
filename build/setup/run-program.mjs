import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { searchFolders } from "../../src-main/config/program-folders.mjs";

/**
 * Runs a program to its end. Never throws: a program that cannot be started ends with code 127.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limitMs?: number, show?: boolean, shell?: boolean }} [options]
 *   `show` lets the program write to stderr as it goes, which keeps stdout for whoever called us
 * @returns {Promise<{ code: number, output: string, timedOut: boolean }>}
 */
export function run(program, args, { cwd, env, limitMs = 60_000, show = false, shell = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: withoutModelKeys(env ?? process.env),
      shell,
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that the time limit also ends what the program has started.
      detached: process.platform !== "win32",
    });
    let output = "";
    let timedOut = false;
    const take = /** @param {Buffer} bytes */ (bytes) => {
      output = (output + bytes).slice(-200_000);
      if (show) process.stderr.write(bytes);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const end = /** @param {NodeJS.Signals} signal */ (signal) => {
      if (child.pid === undefined || child.exitCode !== null) return;
      try {
        if (process.platform === "win32") child.kill(signal);
        else process.kill(-child.pid, signal);
      } catch {
        child.kill(signal);
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end("SIGKILL");
    }, limitMs);
    const interrupted = () => {
      end("SIGTERM");
      // The others that run beside it hear of it first.
      setImmediate(() => process.exit(130));
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    const settle = /** @param {number} code */ (code) => {
      clearTimeout(timer);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      resolve({ code, output, timedOut });
    };
    child.on("error", (error) => {
      output += error.message;
      settle(127);
    });
    child.on("close", (code) => settle(timedOut ? 124 : (code ?? 1)));
  });
}

/** Installers run what packages bring along; the key of a model is none of their business. @param {NodeJS.ProcessEnv} env */
const withoutModelKeys = (env) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("ANTHROPIC_")));

/** The version number in what `<program> --version` says. @param {string} program @param {string} [flag] */
export async function versionOf(program, flag = "--version") {
  const { code, output } = await run(program, [flag], { limitMs: 20_000 });
  return code === 0 ? /\d+\.\d+(\.\d+)*/.exec(output)?.[0] : undefined;
}

/** @param {string} path */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The first of these programs on PATH or in the folders of package managers.
 * @param {readonly string[]} names
 * @returns {string | undefined}
 */
export function onPath(names) {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  const folders = searchFolders();
  for (const name of names) {
    for (const folder of folders) {
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isProgram(path)) return path;
      }
    }
  }
  return undefined;
}
