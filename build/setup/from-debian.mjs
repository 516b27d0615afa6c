import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aptConfiguration, sourcesFor } from "./debian.mjs";
import { run } from "./run-program.mjs";

const limitMs = 8 * 60_000;

/**
 * Unpacks a package of Debian and what it needs into `root` of a folder. Nothing of the machine changes: apt works on lists
 * of its own.
 * @param {string} folder
 * @param {{ name: string, suite: string, codename: string, isNeeded: (name: string) => boolean }} wanted
 *   `codename` is of the Debian that this is; its archives carry the other suite too
 * @returns {Promise<string | undefined>} what went wrong
 */
export async function unpackFromDebian(folder, { name, suite, codename, isNeeded }) {
  const sources = sourcesFor(suite, codename);
  if (sources.length === 0) return "no archive of this Debian is configured";
  const apt = join(folder, "apt");
  const root = join(folder, "root");
  for (const part of ["lists/partial", "archives/partial", "downloads"])
    mkdirSync(join(apt, part), { recursive: true });
  writeFileSync(join(apt, "sources.list"), `${sources.join("\n")}\n`);
  const env = { ...process.env, APT_CONFIG: join(apt, "apt.conf"), LC_ALL: "C" };
  // As if nothing were installed: of what is, the archive may not have that version any more.
  writeFileSync(join(apt, "status"), "");
  writeFileSync(
    join(apt, "apt.conf"),
    `${aptConfiguration(apt)}Dir::State::status "${join(apt, "status")}";\n`,
  );

  const update = await run("apt-get", ["-q", "update"], { env, limitMs });
  if (update.code !== 0) return `apt-get update: ${lastLine(update.output)}`;
  const packages = await withNeeded(name, env, isNeeded);
  if (packages.length === 0) return `${suite} has no ${name}`;
  const downloads = join(apt, "downloads");
  const download = await run("apt-get", ["-q", "download", ...packages], { env, cwd: downloads, limitMs });
  if (download.code !== 0) return `apt-get download: ${lastLine(download.output)}`;
  for (const file of readdirSync(downloads).filter((each) => each.endsWith(".deb"))) {
    const unpack = await run("dpkg", ["-x", join(downloads, file), root], { limitMs });
    if (unpack.code !== 0) return `dpkg -x ${file}: ${lastLine(unpack.output)}`;
  }
  rmSync(apt, { recursive: true, force: true });
  return undefined;
}

/**
 * The package and those that it needs, and that they need, as far as they are wanted.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @param {(name: string) => boolean} isNeeded
 */
async function withNeeded(name, env, isNeeded) {
  /** @type {Set<string>} */
  const wanted = new Set();
  let open = [name];
  while (open.length > 0) {
    for (const each of open) wanted.add(each);
    const { code, output } = await run("apt-cache", ["show", "--no-all-versions", ...open], { env });
    if (code !== 0) return [];
    const needs = [...output.matchAll(/^(?:Pre-)?Depends: (.*)$/gm)].flatMap(([, list = ""]) =>
      list.split(",").map((need) => need.trim().split(/[\s|:(]/)[0] ?? ""),
    );
    open = [...new Set(needs)].filter((need) => isNeeded(need) && !wanted.has(need));
  }
  return [...wanted];
}

/** @param {string} output */
const lastLine = (output) => output.trim().split("\n").at(-1) ?? "no output";
