import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { found, missing } from "./part.mjs";
import { isProgram, run } from "./run-program.mjs";

const consequence = "Hox runs as a headless host and a browser window";

/**
 * Electron's program. Its npm package comes without; fetching it is tried once and may fail, because the app
 * runs without it too.
 * @param {string} project
 * @param {string | undefined} node Electron's own installer needs a newer Node than set-up does
 * @param {import("./part.mjs").Task} task
 * @returns {Promise<import("./part.mjs").Part>}
 */
export async function findElectron(project, node, task) {
  if (process.env.HOX_ELECTRON === "off") {
    return missing(`HOX_ELECTRON is off: ${consequence}`, "Unset HOX_ELECTRON to use Electron.");
  }
  const override = process.env.ELECTRON_EXEC_PATH;
  if (override) {
    if (isProgram(override)) return found(override);
    return missing(
      `ELECTRON_EXEC_PATH (${override}) is not a program: ${consequence}`,
      "Fix ELECTRON_EXEC_PATH or unset it.",
    );
  }
  const installed = unpacked(project);
  if (installed) return installed;
  const installer = join(project, "node_modules", "electron", "install.js");
  if (task.mayFetch && node && existsSync(installer)) {
    task.say("downloading Electron (skip with HOX_ELECTRON=off)");
    const limitMs = process.env.HOX_REQUIRE_ELECTRON ? 15 * 60_000 : 120_000;
    const { code } = await run(node, [installer], { cwd: project, limitMs });
    const fetched = code === 0 ? unpacked(project) : undefined;
    if (fetched) return fetched;
  }
  return missing(
    `Electron could not be downloaded: ${consequence}`,
    "Run `npx install-electron` when you are online, or set ELECTRON_EXEC_PATH.",
  );
}

/** @param {string} project */
function unpacked(project) {
  const folder = join(project, "node_modules", "electron");
  try {
    const path = join(folder, "dist", readFileSync(join(folder, "path.txt"), "utf8").trim());
    if (!isProgram(path)) return undefined;
    const version = readFileSync(join(folder, "dist", "version"), "utf8")
      .trim()
      .replace(/^v/, "");
    return found(path, { version });
  } catch {
    return undefined;
  }
}
