import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { unpackFromDebian } from "./from-debian.mjs";

/** The suite that has a recent jj. */
const suite = "sid";

/**
 * Puts Debian's jj and the libraries it was built against into one folder of the cache, and a wrapper beside
 * it that starts the one with the others. Nothing of the machine changes: apt works on lists of its own.
 * @param {string} cache
 * @param {string} codename of the Debian this is; its archives carry the other suite too
 * @param {string} target where the wrapper goes
 * @returns {Promise<string | undefined>} what went wrong
 */
export async function jjFromDebian(cache, codename, target) {
  const tools = join(cache, "tools");
  mkdirSync(tools, { recursive: true });
  const folder = mkdtempSync(join(tools, "jj-debian-"));
  const root = join(folder, "root");
  /** @param {string} reason */
  const failed = (reason) => {
    rmSync(folder, { recursive: true, force: true });
    return reason;
  };
  const isNeeded = (/** @type {string} */ name) => name.startsWith("lib");
  const failure = await unpackFromDebian(folder, { name: "jujutsu", suite, codename, isNeeded });
  if (failure !== undefined) return failed(failure);
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
