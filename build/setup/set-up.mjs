import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "./browser.mjs";
import { cacheFolder } from "./cache-folder.mjs";
import { findElectron } from "./electron.mjs";
import { findGit } from "./git.mjs";
import { findJj } from "./jj.mjs";
import { withLock } from "./lock.mjs";
import { findNode } from "./node.mjs";
import { installPackages, packagesInPlace } from "./packages.mjs";
import { stampOf } from "./part.mjs";
import { readParts, writeParts } from "./recorded-parts.mjs";
import { findSandbox } from "./sandbox.mjs";

/** @typedef {import("./part.mjs").Part} Part */
/** @typedef {import("./recorded-parts.mjs").PartName} PartName */
/** @typedef {import("./recorded-parts.mjs").Parts} Parts */

export const project = fileURLToPath(new URL("../..", import.meta.url));

/** @type {readonly PartName[]} */
const partNames = ["node", "git", "jj", "browser", "sandbox", "electron"];

/** Fetching that has failed is left alone for so long, unless set-up is asked for by name. */
const patienceMs = { short: 10 * 60_000, electron: 24 * 60 * 60_000 };

/** A lock of this checkout, apart from those of others. @param {string} name */
export const checkoutLock = (name) =>
  join(cacheFolder(), "locks", `${createHash("sha256").update(project).digest("hex").slice(0, 16)}-${name}`);

/**
 * Makes sure that everything Hox needs is there, and records where. Cheap when nothing has changed.
 * @param {{ say?: (line: string) => void, fetchAgain?: boolean }} [options]
 * @returns {Promise<Parts>}
 */
export async function setUp({ say = sayOnStderr, fetchAgain = false } = {}) {
  const cache = cacheFolder();
  const isInstalled = packagesInPlace(project);
  const known = readParts(cache, project);
  if (isInstalled && !fetchAgain && partNames.every((name) => isCurrent(name, known[name]))) {
    return /** @type {Parts} */ (known);
  }
  const packages = isInstalled ? Promise.resolve() : installOnce(say);
  const parts = withLock(
    join(cache, "locks", "tools"),
    () => lookForParts(cache, say, fetchAgain, packages),
    () => say("waiting for another setup"),
  );
  // Packages that could not be had fail the parts too, but only once the lock is theirs.
  await Promise.allSettled([packages, parts]);
  return parts;
}

/** @param {(line: string) => void} say */
const installOnce = (say) =>
  withLock(
    checkoutLock("packages"),
    async () => {
      if (!packagesInPlace(project)) await installPackages(project, say);
    },
    () => say("waiting for another setup of this folder"),
  );

/** @param {string} line */
export const sayOnStderr = (line) => void process.stderr.write(`hox: ${line}\n`);

/** One line for each part that is missing or limited. @param {Parts} parts @returns {string[]} */
export const shortcomings = (parts) =>
  partNames.flatMap((name) => {
    const { note, remedy } = parts[name];
    return note ? [`${note}. ${remedy ?? ""}`.trim()] : [];
  });

/** The variables by which a user names a program for one process. @type {Readonly<Record<PartName, readonly string[]>>} */
const overrides = {
  node: ["HOX_NODE"],
  git: ["HOX_GIT"],
  jj: ["HOX_JJ"],
  browser: ["HOX_BROWSER"],
  sandbox: ["HOX_SANDBOX"],
  electron: ["HOX_ELECTRON", "ELECTRON_EXEC_PATH"],
};

/** Overridden parts are looked at in every process and never recorded: the file is read by others. @param {PartName} name */
const isOverridden = (name) => overrides[name].some((variable) => process.env[variable]);

/** One line for each part: its version and where it is. @param {Parts} parts @returns {string[]} */
export const describeParts = (parts) =>
  partNames.map((name) => {
    const { found, version, path } = parts[name];
    return `${name.padEnd(9)}${found ? `${version ?? "found"}  ${path}` : "not found"}`;
  });

/** What an answer depends on besides the file it names. @param {PartName} name */
function surroundingsOf(name) {
  // npm puts folders of its own in front, other ones for each way of starting us.
  const searched = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  const own = {
    node: packageVersion("node"),
    git: searched,
    jj: searched,
    browser: searched,
    sandbox: searched,
    electron: packageVersion("electron"),
  }[name];
  return createHash("sha256")
    .update(JSON.stringify([process.platform, own]))
    .digest("hex")
    .slice(0, 16);
}

/** @param {string} name */
function packageVersion(name) {
  try {
    return JSON.parse(readFileSync(join(project, "node_modules", name, "package.json"), "utf8")).version;
  } catch {
    return null;
  }
}

/** @param {PartName} name @param {Part | undefined} part */
function isFresh(name, part) {
  if (!part?.triedAt) return false;
  if (name === "electron" && process.env.HOX_REQUIRE_ELECTRON) return false;
  return Date.now() - part.triedAt < (name === "electron" ? patienceMs.electron : patienceMs.short);
}

/** @param {PartName} name @param {Part | undefined} part */
function isCurrent(name, part) {
  if (!part || isOverridden(name) || part.surroundings !== surroundingsOf(name)) return false;
  if (part.found) return part.path !== undefined && stampOf(part.path) === part.stamp;
  return isFresh(name, part);
}

/**
 * What is fetched comes side by side: of a machine that has nothing, each waits for the network most of the time. Only
 * two that apt-get installs would wait for each other.
 * @param {string} cache
 * @param {(line: string) => void} say
 * @param {boolean} fetchAgain
 * @param {Promise<void>} packages npm's own, which Node and Electron come with
 */
async function lookForParts(cache, say, fetchAgain, packages) {
  // Whoever held the lock before may have found what is missing here.
  const known = readParts(cache, project);
  /** @param {PartName} name @param {(task: import("./part.mjs").Task) => Promise<Part>} find */
  const look = async (name, find) => {
    const previous = known[name];
    if (!fetchAgain && previous && isCurrent(name, previous)) return previous;
    const sameQuestion = previous?.surroundings === surroundingsOf(name);
    const mayFetch = fetchAgain || !sameQuestion || !isFresh(name, previous);
    const part = await find({ cache, previous, mayFetch, say });
    const failed = part.found ? {} : { triedAt: mayFetch ? Date.now() : (previous?.triedAt ?? Date.now()) };
    return { ...part, ...failed, surroundings: surroundingsOf(name) };
  };
  const fromPackages = async () => {
    await packages;
    const node = await look("node", () => findNode(project));
    return { node, electron: await look("electron", (task) => findElectron(project, node.path, task)) };
  };
  const fromTheMachine = async () => ({
    git: await look("git", findGit),
    browser: await look("browser", findBrowser),
    sandbox: await look("sandbox", findSandbox),
  });
  const looks = /** @type {const} */ ([fromPackages(), fromTheMachine(), look("jj", findJj)]);
  // When one fails, the others come to their end before the lock is given back.
  await Promise.allSettled(looks);
  const [own, machine, jj] = await Promise.all(looks);
  /** @type {Parts} */
  const parts = { ...own, ...machine, jj };
  const recorded = partNames.flatMap((name) => {
    const part = isOverridden(name) ? known[name] : parts[name];
    return part ? [[name, part]] : [];
  });
  writeParts(cache, project, Object.fromEntries(recorded));
  return parts;
}
