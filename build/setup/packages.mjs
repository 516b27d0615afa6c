import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run-program.mjs";

/** npm's packages could not be put in place; nothing else can run. */
class PackagesFailed extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(
      `npm ci failed: ${reason}\n` +
        "Check the connection and `npm config get registry`, then run `npm run setup` again. The full output is above.",
    );
    this.name = "PackagesFailed";
  }
}

/** @param {string} project */
const stampFile = (project) => join(project, "node_modules", ".hox-packages");

/** @param {string} project */
const expectedStamp = (project) =>
  createHash("sha256")
    .update(readFileSync(join(project, "package-lock.json")))
    .digest("hex");

/**
 * Whether npm's own record of what it installed agrees with the lock file. This spares a second installation
 * to someone who has just typed `npm install`.
 * @param {string} project
 */
function agrees(project) {
  try {
    /** @type {(path: string) => Record<string, { version?: string, optional?: boolean, devOptional?: boolean }>} */
    const packages = (path) => JSON.parse(readFileSync(path, "utf8")).packages;
    const wanted = packages(join(project, "package-lock.json"));
    const installed = packages(join(project, "node_modules", ".package-lock.json"));
    return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
      if (path === "") return true;
      const found = installed[path];
      return found ? found.version === version : optional === true || devOptional === true;
    });
  } catch {
    return false;
  }
}

/** @param {string} project */
export function packagesInPlace(project) {
  const stamp = stampFile(project);
  const wanted = expectedStamp(project);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return true;
  if (!agrees(project)) return false;
  try {
    writeFileSync(stamp, wanted);
  } catch {
    // Someone else's installation, which may be used and not written to: compared again the next time.
  }
  return true;
}

/**
 * Installs exactly what the lock file says.
 * @param {string} project
 * @param {(line: string) => void} say
 */
export async function installPackages(project, say) {
  say("installing npm packages (about a minute the first time)");
  // Run by npm itself this names its program; on Windows a bare `npm` would need a shell.
  const cli = process.env.npm_execpath;
  const byNode = cli?.endsWith(".js") && existsSync(cli) ? cli : undefined;
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: project, limitMs: 20 * 60_000, show: true };
  const { code, output, timedOut } = byNode
    ? await run(process.execPath, [byNode, ...args], options)
    : await run("npm", args, { ...options, shell: process.platform === "win32" });
  if (code !== 0) {
    const line = output.split("\n").find((text) => /npm (error|ERR!)/.test(text));
    throw new PackagesFailed(timedOut ? "it took longer than 20 minutes" : (line ?? `exit code ${code}`));
  }
  writeFileSync(stampFile(project), expectedStamp(project));
}
