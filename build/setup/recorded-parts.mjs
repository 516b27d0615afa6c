import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** @typedef {import("./part.mjs").Part} Part */
/** @typedef {"node" | "git" | "jj" | "browser" | "sandbox" | "electron"} PartName */
/** @typedef {Record<PartName, Part>} Parts */

/**
 * Where what npm installed with one checkout is recorded: another checkout has its own, and goes on when this one is
 * deleted. `src-main/config/tools.ts` says the same.
 * @param {string} cache
 * @param {string} project
 */
export const checkoutFile = (cache, project) => {
  const name = createHash("sha256").update(resolve(project)).digest("hex").slice(0, 16);
  return join(cache, "checkouts", `${name}.json`);
};

/** The machine's programs, for all checkouts. @param {string} cache */
const sharedFile = (cache) => join(cache, "tools.json");

/**
 * What was found before, for this checkout.
 * @param {string} cache
 * @param {string} project
 * @returns {Partial<Parts>}
 */
export function readParts(cache, project) {
  const { git, jj, browser, sandbox } = read(sharedFile(cache));
  const { node, electron } = read(checkoutFile(cache, project));
  const known = { node, git, jj, browser, sandbox, electron };
  return Object.fromEntries(Object.entries(known).filter(([, part]) => part !== undefined));
}

/**
 * @param {string} cache
 * @param {string} project
 * @param {Partial<Parts>} parts
 */
export function writeParts(cache, project, { node, electron, ...shared }) {
  write(sharedFile(cache), shared);
  write(checkoutFile(cache, project), { project: resolve(project), node, electron });
  forgetDeleted(join(cache, "checkouts"));
}

/** Of a checkout that is gone nobody asks any more. @param {string} folder */
function forgetDeleted(folder) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
    const { project } = read(join(folder, name));
    if (typeof project !== "string" || !existsSync(project)) rmSync(join(folder, name), { force: true });
  }
}

/** @param {string} file @returns {Record<string, any>} */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** @param {string} file @param {object} value */
function write(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(draft, file);
}
