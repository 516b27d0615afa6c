import { atLeast, found, missing } from "./part.mjs";
import { isProgram, onPath, versionOf } from "./run-program.mjs";

/** What jj 0.46 asks of git. */
const least = "2.42";

/** @returns {Promise<import("./part.mjs").Part>} */
export async function findGit() {
  const override = process.env.HOX_GIT;
  const path = override || onPath(["git"]);
  if (!path || !isProgram(path)) {
    return missing(
      override
        ? `HOX_GIT (${override}) is not a program`
        : "git was not found: no fetch, no push, no repository beside Git",
      "Install git 2.42 or later, or set HOX_GIT to it.",
    );
  }
  const version = await versionOf(path);
  if (!version) return missing(`${path} does not say its version`, "Install git 2.42 or later.");
  if (atLeast(version, least)) return found(path, { version });
  return found(path, {
    version,
    note: `git ${version} is older than ${least}: fetch, push and repositories beside Git (colocated) will not work`,
    remedy: `Install git ${least} or later; until then open repositories without Git beside them.`,
  });
}
