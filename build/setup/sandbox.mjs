import { aptInstall } from "./debian.mjs";
import { found, missing } from "./part.mjs";
import { isProgram, onPath, run, versionOf } from "./run-program.mjs";

const consequence = "agents' commands would run without a sandbox, so Hox asks before it runs any";

/** @param {string} path @returns {Promise<import("./part.mjs").Part>} */
async function tried(path) {
  const version = await versionOf(path);
  const { code, output } = await run(path, ["--ro-bind", "/", "/", "--unshare-pid", "true"], {
    limitMs: 10_000,
  });
  if (code === 0) return found(path, { version });
  const reason = output.trim().split("\n").at(-1) ?? `exit ${code}`;
  return found(path, {
    version,
    note: `bwrap is installed but can't create a sandbox (${reason}): ${consequence}`,
    remedy: "Allow unprivileged user namespaces for bwrap on this machine.",
  });
}

/**
 * What confines agents' commands: bubblewrap on Linux, the system's own sandbox on macOS.
 * @param {import("./part.mjs").Task} task
 * @returns {Promise<import("./part.mjs").Part>}
 */
export async function findSandbox(task) {
  const override = process.env.HOX_SANDBOX;
  if (override && !isProgram(override)) {
    return missing(`HOX_SANDBOX (${override}) is not a program`, "Fix HOX_SANDBOX or unset it.");
  }
  if (process.platform === "win32") {
    return missing(`no sandbox on Windows: ${consequence}`, "Run Hox inside WSL to sandbox agents.");
  }
  if (process.platform === "darwin") {
    const path = override || "/usr/bin/sandbox-exec";
    return isProgram(path)
      ? found(path)
      : missing(`sandbox-exec was not found: ${consequence}`, "Set HOX_SANDBOX to the path of sandbox-exec.");
  }
  const path = override || onPath(["bwrap"]);
  if (path) return tried(path);
  const installed =
    task.mayFetch && (await aptInstall("bubblewrap", task.say)) ? onPath(["bwrap"]) : undefined;
  if (installed) return tried(installed);
  return missing(
    `bwrap is not on PATH: ${consequence}`,
    "Install bubblewrap (on Debian: apt-get install bubblewrap).",
  );
}
