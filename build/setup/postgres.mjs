import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { debianCodename } from "./debian.mjs";
import { unpackFromDebian } from "./from-debian.mjs";
import { isProgram, onPath } from "./run-program.mjs";

const postgresRemedy =
  "Install Postgres (on Debian: apt-get install postgresql), or set HOX_POSTGRES to the folder of its programs.";

const unpacked = () => join(cacheFolder(), "tools", "postgres");

/** Where Debian has them, below the machine's root or a folder of packages. @param {string} root */
function programsIn(root) {
  const versions = join(root, "usr", "lib", "postgresql");
  if (!existsSync(versions)) return undefined;
  const newest = readdirSync(versions).sort((one, other) => Number(other) - Number(one));
  return newest
    .map((version) => join(versions, version, "bin"))
    .find((bin) => isProgram(join(bin, "postgres")));
}

/** For tests and benches alone: Hox itself starts no database. */
export function postgresFolder() {
  const { HOX_POSTGRES: given } = process.env;
  if (given) return isProgram(join(given, "postgres")) ? given : undefined;
  const onSearchPath = onPath(["initdb"]);
  return (
    programsIn("/") ??
    (onSearchPath && isProgram(join(dirname(onSearchPath), "postgres"))
      ? dirname(onSearchPath)
      : undefined) ??
    programsIn(unpacked())
  );
}

/**
 * Puts Debian's Postgres into Hox's cache, where there is none: no service is installed, and none is started.
 * @param {(line: string) => void} say
 */
export async function installPostgres(say) {
  const codename = debianCodename();
  if (postgresFolder() === undefined && codename) {
    say("downloading Postgres of Debian, for the tests of shared pools");
    const failure = await postgresFromDebian(codename);
    if (failure !== undefined) say(`Postgres could not be downloaded: ${failure}`);
  }
  if (postgresFolder() === undefined)
    say(`tests of shared pools are not run: no Postgres. ${postgresRemedy}`);
}

/** The C library is the machine's own, and LLVM only makes long questions faster. @param {string} name */
const isNeeded = (name) => /^(?:postgresql-\d+$|lib)/.test(name) && !/^lib(?:c6|llvm)/.test(name);

/**
 * These programs for a user who may not look into Hox's cache, and the environment that they need: libraries that were
 * unpacked with them are found nowhere else.
 * @param {string} programs
 * @param {string} folder where that user may look; what was unpacked is copied there
 */
export function programsFor(programs, folder) {
  if (!programs.startsWith(unpacked())) return { programs, env: process.env };
  const copy = join(folder, "programs");
  cpSync(unpacked(), copy, { recursive: true, verbatimSymlinks: true });
  const libraries = join(copy, "usr", "lib");
  const folders = [libraries, ...readdirSync(libraries).map((name) => join(libraries, name))];
  return {
    programs: join(copy, relative(unpacked(), programs)),
    env: { ...process.env, LD_LIBRARY_PATH: folders.join(":") },
  };
}

/** @param {string} codename @returns {Promise<string | undefined>} what went wrong */
async function postgresFromDebian(codename) {
  const tools = dirname(unpacked());
  mkdirSync(tools, { recursive: true });
  const folder = mkdtempSync(join(tools, "postgres-"));
  const failure = await unpackFromDebian(folder, { name: "postgresql", suite: codename, codename, isNeeded });
  if (failure !== undefined) rmSync(folder, { recursive: true, force: true });
  else {
    rmSync(unpacked(), { recursive: true, force: true });
    renameSync(join(folder, "root"), unpacked());
    rmSync(folder, { recursive: true, force: true });
  }
  return failure;
}
