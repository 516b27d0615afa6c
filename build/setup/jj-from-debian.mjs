import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { aptConfiguration, sourcesFor } from "./debian.mjs";
import { run } from "./run-program.mjs";

/** The suite that has a recent jj. */
const suite = "sid";
const limitMs = 8 * 60_000;

/**
 * Puts Debian's jj and the libraries it was built against into one folder of the cache, and a wrapper beside
 * it that starts the one with the others. Nothing of the machine changes: apt works on lists of its own.
 * @param {string} cache
 * @param {string} codename of the Debian this is; its archives carry the other suite too
 * @param {string} target where the wrapper goes
 * @returns {Promise<string | undefined>} what went wrong
 */
export async function jjFromDebian(cache, codename, target) {
  const sources = sourcesFor(suite, codename);
  if (sources.length === 0) return "no archive of this Debian is configured";
  const tools = join(cache, "tools");
  mkdirSync(tools, { recursive: true });
  const folder = mkdtempSync(join(tools, "jj-debian-"));
  const apt = join(folder, "apt");
  const root = join(folder, "root");
  /** @param {string} reason */
  const failed = (reason) => {
    rmSync(folder, { recursive: true, force: true });
    return reason;
  };
  for (const part of ["lists/partial", "archives/partial", "downloads"])
    mkdirSync(join(apt, part), { recursive: true });
  writeFileSync(join(apt, "sources.list"), `${sources.join("\n")}\n`);
  const env = { ...process.env, APT_CONFIG: join(apt, "apt.conf"), LC_ALL: "C" };
  writeFileSync(join(apt, "apt.conf"), aptConfiguration(apt));

  const update = await run("apt-get", ["-q", "update"], { env, limitMs });
  if (update.code !== 0) return failed(`apt-get update: ${lastLine(update.output)}`);
  const packages = await withLibraries("jujutsu", env);
  if (packages.length === 0) return failed(`${suite} has no jujutsu`);
  const downloads = join(apt, "downloads");
  const download = await run("apt-get", ["-q", "download", ...packages], { env, cwd: downloads, limitMs });
  if (download.code !== 0) return failed(`apt-get download: ${lastLine(download.output)}`);
  for (const file of readdirSync(downloads).filter((name) => name.endsWith(".deb"))) {
    const unpack = await run("dpkg", ["-x", join(downloads, file), root], { limitMs });
    if (unpack.code !== 0) return failed(`dpkg -x ${file}: ${lastLine(unpack.output)}`);
  }
  rmSync(apt, { recursive: true, force: true });
  rmSync(join(root, "usr", "share"), { recursive: true, force: true });

  const loader = first(root, /^ld-(linux|musl).*\.so\.\d+$/);
  const library = first(root, /^libc\.so\.6$/);
  if (!loader || !library) return failed("the C library has no loader where it is expected");
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, wrapper(root, loader, dirname(library)));
  chmodSync(draft, 0o755);
  renameSync(draft, target);
  return undefined;
}

/**
 * The package and the libraries it needs, and those that they need; nothing that is not a library.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
async function withLibraries(name, env) {
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
    open = [...new Set(needs)].filter((need) => /^lib/.test(need) && !wanted.has(need));
  }
  return [...wanted];
}

/** The first file of that name below `usr/lib…`, as a path inside `root`. @param {string} root @param {RegExp} name */
function first(root, name) {
  for (const top of ["usr", "."]) {
    const below = join(root, top);
    for (const library of readdirSync(below).filter((entry) => entry.startsWith("lib"))) {
      for (const entry of readdirSync(join(below, library), { recursive: true, encoding: "utf8" })) {
        if (name.test(entry.split("/").at(-1) ?? "")) return relative(root, join(below, library, entry));
      }
    }
  }
  return undefined;
}

/** @param {string} root @param {string} loader @param {string} libraries */
function wrapper(root, loader, libraries) {
  const quoted = /** @param {string} path */ (path) => `'${path.replaceAll("'", `'\\''`)}'`;
  const started = [join(root, loader), "--library-path", join(root, libraries), join(root, "usr/bin/jj")];
  return `#!/bin/sh\nexec ${started.map(quoted).join(" ")} "$@"\n`;
}

/** @param {string} output */
const lastLine = (output) => output.trim().split("\n").at(-1) ?? "no output";
