import { atLeast, found, missing } from "./part.mjs";
import { isProgram, onPath, versionOf } from "./run-program.mjs";

/** What Hox asks of git. */
const least = "2.34";
/** What jj 0.46 asks of it for `jj git fetch`, which Hox itself never calls. */
const fetchesFrom = "2.42";

/** @returns {Promise<import("./part.mjs").Part>} */
export async function findGit() {
  const override = process.env.HOX_GIT;
  const path = override || onPath(["git"]);
  if (!path || !isProgram(path)) {
    return missing(
      override
        ? `HOX_GIT (${override}) is not a program`
        : "git was not found: no push, no repository beside Git",
      `Install git ${least} or later, or set HOX_GIT to it.`,
    );
  }
  const version = await versionOf(path);
  if (!version) return missing(`${path} does not say its version`, `Install git ${least} or later.`);
  if (atLeast(version, fetchesFrom)) return found(path, { version });
  if (atLeast(version, least))
    return found(path, {
      version,
      note: `git ${version} is older than ${fetchesFrom}: jj git fetch refuses it. git fetch does the same, and Hox sees it`,
    });
  return found(path, {
    version,
    note: `git ${version} is older than ${least}: repositories beside Git (colocated) and pushes will not work`,
    remedy: `Install git ${least} or later; until then open repositories without Git beside them.`,
  });
}
