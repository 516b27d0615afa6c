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
        : "git was not found: no push, no colocated repositories (jj and Git)",
      `Install git ${least} or later, or set HOX_GIT to its path.`,
    );
  }
  const version = await versionOf(path);
  if (!version) return missing(`${path} does not report its version`, `Install git ${least} or later.`);
  if (atLeast(version, fetchesFrom)) return found(path, { version });
  if (atLeast(version, least))
    return found(path, {
      version,
      note: `git ${version} is older than ${fetchesFrom}, so jj git fetch does not work. Use git fetch instead; Hox detects the fetched commits`,
    });
  return found(path, {
    version,
    note: `git ${version} is older than ${least}: colocated repositories (jj and Git) and pushes will not work`,
    remedy: `Install git ${least} or later. Until then, open repositories without Git.`,
  });
}
