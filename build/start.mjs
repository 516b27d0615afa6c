#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { handOver, invocationFolder } from "./hand-over.mjs";
import { hostArguments } from "./host-arguments.mjs";
import { runElectron } from "./run-electron.mjs";
import { project, sayOnStderr, setUp, shortcomings } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";

const instead = "Hox runs as a headless host and a browser window";

/**
 * Which of the two shells, and the reason.
 * @param {import("./setup/part.mjs").Part} electron
 * @returns {{ shell: "electron" | "headless", why: string }}
 */
function chooseShell(electron) {
  if (!electron.found)
    return { shell: "headless", why: electron.note ?? `Electron is not installed: ${instead}` };
  if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return { shell: "headless", why: `no display for Electron: ${instead}` };
  }
  if (process.platform === "linux" && process.getuid?.() === 0) {
    return {
      shell: "headless",
      why: `Electron can't run as root with its sandbox: ${instead}`,
    };
  }
  return { shell: "electron", why: `Electron ${electron.version ?? ""}`.trim() };
}

async function start() {
  const [folder, ...rest] = process.argv.slice(2);
  if (rest.length > 0 || folder?.startsWith("-")) {
    process.stderr.write("usage: npm start [-- <folder>]\n");
    return folder === "--help" || folder === "-h" ? 0 : 2;
  }
  const parts = await setUp();
  const { node, electron } = parts;
  if (!node.path) throw new Error(`${node.note}. ${node.remedy}`);
  await buildIfNeeded(node.path, sayOnStderr);

  const { shell, why } = chooseShell(electron);
  for (const line of shortcomings({ ...parts, electron: { found: true } })) sayOnStderr(line);
  sayOnStderr(shell === "electron" ? `opening a window: ${why}` : why);
  const opened = folder === undefined ? [] : [resolve(invocationFolder(), folder)];
  const options = { cwd: project };
  if (shell === "electron" && electron.path) {
    const { code, notStarted } = await runElectron(electron.path, [project, ...opened], options);
    if (notStarted === null) return code;
    sayOnStderr(`${notStarted}. ${instead}`);
  }
  const headless = join(project, "out", "main", "headless.js");
  if (!existsSync(headless))
    throw new Error("The build has no headless host. Run `npm run build` and read its output.");
  return handOver(node.path, [...hostArguments, headless, "--open", ...opened], options);
}

process.exit(
  await start().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
