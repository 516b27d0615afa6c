import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fetchJj, jjArchive } from "./setup/jj-release.mjs";

/** What packaging calls the systems. @type {Readonly<Record<string, string>>} */
const systems = { linux: "linux", darwin: "mac", win32: "win" };

/**
 * Puts jj's release where packaging takes it from, one folder for each system. jj is under the Apache License, which
 * lets it be passed on with its terms beside it. Without a connection the package has none, and the app offers to
 * fetch it.
 * @param {object} options
 * @param {string} options.folder of all systems
 * @param {string} options.platform
 * @param {string} options.arch
 * @param {(line: string) => void} options.say
 * @param {import("./setup/jj-release.mjs").ReleaseArchive} [options.archive]
 * @returns {Promise<boolean>} whether there is one
 */
export async function bundleJj({ folder, platform, arch, say, archive = jjArchive(platform, arch) }) {
  const own = join(folder, `${systems[platform] ?? platform}-${arch}`);
  const target = join(own, "jj", platform === "win32" ? "jj.exe" : "jj");
  const record = join(own, "release");
  if (archive && existsSync(target) && existsSync(record) && readFileSync(record, "utf8") === archive.sha256)
    return true;
  rmSync(own, { recursive: true, force: true });
  // Packaging wants the folder also where nothing is in it.
  mkdirSync(join(own, "jj"), { recursive: true });
  const without = "the package includes no jj, and its app offers to download it";
  if (!archive) {
    say(`no release of jj is pinned for ${platform} on ${arch}: ${without}`);
    return false;
  }
  say(`downloading jj ${archive.version} for the package`);
  try {
    const { license } = await fetchJj({ target, archive });
    if (!license) throw new Error(`${archive.name} contains no LICENSE, so it can't be redistributed`);
    writeFileSync(join(own, "jj", "LICENSE"), license);
    writeFileSync(record, archive.sha256);
    return true;
  } catch (error) {
    rmSync(target, { force: true });
    say(`${/** @type {Error} */ (error).message} So ${without}.`);
    return false;
  }
}
