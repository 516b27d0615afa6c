import { existsSync } from "node:fs";
import { join } from "node:path";
import { atLeast, found, missing } from "./part.mjs";
import { isProgram, onPath, versionOf } from "./run-program.mjs";

/** Older ones lack the packages' needs and a database module without a flag. */
const least = "22.13";

/**
 * The Node that runs Hox: the one that npm installs with the packages, so that all run what was tried, else
 * this one when it is new enough.
 * @param {string} project
 * @returns {Promise<import("./part.mjs").Part>}
 */
export async function findNode(project) {
  const override = process.env.HOX_NODE;
  if (override) {
    const version = isProgram(override) ? await versionOf(override) : undefined;
    if (atLeast(version, least)) return found(override, { version });
    return missing(`HOX_NODE (${override}) is not Node ${least} or later`, "Fix HOX_NODE or unset it.");
  }
  const folder = join(project, "node_modules", "node", "bin");
  const packaged = [join(folder, "node"), join(folder, "node.exe")].find((path) => existsSync(path));
  if (packaged) {
    const version = await versionOf(packaged);
    if (atLeast(version, least)) return found(packaged, { version });
  }
  const own = process.versions.node;
  if (atLeast(own, least)) return found(process.execPath, { version: own });
  const other = onPath(["node"]);
  const version = other ? await versionOf(other) : undefined;
  if (other && atLeast(version, least)) return found(other, { version });
  return missing(
    `Node is ${own}, and Hox needs ${least} or later`,
    "Install Node 24, or let npm run install scripts and run `npm run setup` again.",
  );
}
