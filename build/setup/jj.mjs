import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { debianCodename } from "./debian.mjs";
import { jjFromDebian } from "./jj-from-debian.mjs";
import { fetchJj, jjArchive } from "./jj-release.mjs";
import { atLeast, found, missing } from "./part.mjs";
import { isProgram, onPath, run, versionOf } from "./run-program.mjs";

/** Older ones lack operations that are computed without being published. */
const least = "0.44";
/** What Hox is developed against. */
const wanted = "0.46.0";

const remedy = `Install Jujutsu ${least} or later and put it on PATH (macOS: brew install jj; Windows: winget install jj-vcs.jj; anywhere: cargo install --locked jj-cli), or set HOX_JJ to its path.`;

/**
 * jj: the one named, the one that is installed, the one fetched earlier, one from Debian's archive, the project's own
 * release, one built by cargo.
 * @param {import("./part.mjs").Task} task
 * @returns {Promise<import("./part.mjs").Part>}
 */
export async function findJj(task) {
  const override = process.env.HOX_JJ;
  if (override) {
    if (!isProgram(override))
      return missing(`HOX_JJ (${override}) is not a program`, "Fix HOX_JJ or unset it.");
    return judged(override, await versionOf(override));
  }
  const installed = onPath(["jj"]);
  const installedVersion = installed ? await versionOf(installed) : undefined;
  if (installed && atLeast(installedVersion, least)) return found(installed, { version: installedVersion });

  const cached = join(task.cache, "tools", "jj", "bin", process.platform === "win32" ? "jj.exe" : "jj");
  const cachedVersion = isProgram(cached) ? await versionOf(cached) : undefined;
  if (atLeast(cachedVersion, least)) return found(cached, { version: cachedVersion });

  if (task.mayFetch) {
    for (const fetch of [fromDebian, fromRelease, fromCargo]) {
      if (!(await fetch(task, cached))) continue;
      const version = await versionOf(cached);
      if (atLeast(version, least)) return found(cached, { version });
      task.say(`the downloaded jj is ${version ?? "not able to run here"}; trying the next source`);
    }
  }
  if (installed) return judged(installed, installedVersion);
  return missing("jj could not be downloaded: Hox can't open repositories", remedy);
}

/** An old jj still shows a repository, so it is used and its limits are said. @param {string} path @param {string | undefined} version */
function judged(path, version) {
  if (!version) return missing(`${path} does not report its version`, remedy);
  if (atLeast(version, least)) return found(path, { version });
  const note = `jj ${version} is older than ${least}: previews of a drop or a decision, the conflict radar and runs will not work`;
  return found(path, { version, note, remedy });
}

/** @param {import("./part.mjs").Task} task @param {string} target */
async function fromDebian({ cache, say }, target) {
  const codename = debianCodename();
  if (!codename) return false;
  say("downloading jj from Debian's archive to Hox's cache");
  const problem = await jjFromDebian(cache, codename, target);
  if (problem) say(`not from Debian's archive: ${problem}`);
  return problem === undefined;
}

/** @param {import("./part.mjs").Task} task @param {string} target */
async function fromRelease({ say }, target) {
  const archive = jjArchive();
  if (!archive) return false;
  say(`downloading jj ${archive.version}, the jj project's release`);
  try {
    await fetchJj({ target, archive });
    return true;
  } catch (error) {
    say(`not the release: ${/** @type {Error} */ (error).message}`);
    return false;
  }
}

/** @param {import("./part.mjs").Task} task @param {string} target */
async function fromCargo({ cache, say }, target) {
  const cargo = onPath(["cargo"]);
  if (!cargo) return false;
  say(`building jj ${wanted} with cargo (10 to 30 minutes, once)`);
  const root = join(cache, "tools", "jj-cargo");
  const args = ["install", "--locked", "--version", wanted, "--root", root, "jj-cli"];
  const { code, output, timedOut } = await run(cargo, args, { limitMs: 45 * 60_000 });
  if (code !== 0) {
    const line = output.split("\n").find((text) => text.startsWith("error")) ?? `exit code ${code}`;
    say(`cargo could not build jj: ${timedOut ? "it took longer than 45 minutes" : line}`);
    return false;
  }
  mkdirSync(join(target, ".."), { recursive: true });
  const draft = `${target}.${process.pid}`;
  copyFileSync(join(root, "bin", process.platform === "win32" ? "jj.exe" : "jj"), draft);
  chmodSync(draft, 0o755);
  renameSync(draft, target);
  rmSync(root, { recursive: true, force: true });
  return true;
}
