import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onPath, run } from "./run-program.mjs";

/** The fields of /etc/os-release. @returns {Record<string, string>} */
function osRelease() {
  if (!existsSync("/etc/os-release")) return {};
  const lines = readFileSync("/etc/os-release", "utf8").split("\n");
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return key && value !== undefined ? [[key, value.replace(/^"|"$/g, "")]] : [];
    }),
  );
}

/**
 * Debian and what follows it closely. Ubuntu has other archives, and its chromium package is a snap.
 * @returns {string | undefined} the codename, as in "bookworm"
 */
export function debianCodename() {
  if (process.platform !== "linux" || !onPath(["apt-get"]) || !onPath(["dpkg"])) return undefined;
  const { ID, ID_LIKE = "", VERSION_CODENAME } = osRelease();
  const like = ID_LIKE.split(" ");
  return ID === "debian" || (like.includes("debian") && !like.includes("ubuntu"))
    ? VERSION_CODENAME
    : undefined;
}

const isRoot = () => process.getuid?.() === 0;

/**
 * Installs a package for the whole machine, which only root may.
 * @param {string} name
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>}
 */
export async function aptInstall(name, say) {
  if (!isRoot() || !debianCodename()) return false;
  say(`installing ${name} with apt-get`);
  const args = ["-o", "DPkg::Lock::Timeout=300", "-qq", "-y", "--no-install-recommends", "install", name];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const limitMs = 15 * 60_000;
  // A fresh machine has no package lists, or those of the day its image was made: what they name may be gone or old.
  await run("apt-get", ["-qq", "update"], { env, limitMs });
  const { code, output } = await run("apt-get", args, { env, limitMs });
  if (code !== 0) say(`apt-get could not install ${name}: ${output.trim().split("\n").at(-1)}`);
  return code === 0;
}

/**
 * The configured archives that carry this Debian, as source lines for another suite of the same archives.
 * @param {string} suite
 * @param {string} codename
 * @param {string} [etc] where apt's configuration is
 * @returns {string[]}
 */
export function sourcesFor(suite, codename, etc = "/etc/apt") {
  const folder = join(etc, "sources.list.d");
  const files = [
    join(etc, "sources.list"),
    ...(existsSync(folder) ? readdirSync(folder).sort() : []).map((name) => join(folder, name)),
  ].filter((file) => existsSync(file) && /\.(list|sources)$/.test(file));
  const lines = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return file.endsWith(".sources") ? stanzaSources(text, codename) : lineSources(text, codename);
  });
  return [...new Set(lines.map(({ options, address }) => `deb ${options}${address} ${suite} main`))];
}

/** Settings by which apt works on lists of its own, in this folder. @param {string} apt */
export const aptConfiguration = (apt) => `Dir::Etc::SourceList "${join(apt, "sources.list")}";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "${join(apt, "lists")}";
Dir::Cache "${apt}";
Dir::Cache::Archives "${join(apt, "archives")}";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
APT::Sandbox::User "";
`;

/** @typedef {{ options: string, address: string }} Source */

/** The one-line style: `deb [options] address suite component…`. @param {string} text @param {string} codename */
function lineSources(text, codename) {
  return text.split("\n").flatMap((line) => {
    const [, options = "", address, suite, components = ""] =
      /^\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line) ?? [];
    const fits = address && suite === codename && components.split(/\s+/).includes("main");
    return fits ? [/** @type {Source} */ ({ options, address })] : [];
  });
}

/** The newer style: paragraphs of `Key: value`. @param {string} text @param {string} codename */
function stanzaSources(text, codename) {
  const plain = text.replace(/^#.*\n?/gm, "");
  return plain.split(/\n\s*\n/).flatMap((stanza) => {
    /** @param {string} key */
    const words = (key) =>
      (new RegExp(`^${key}:[ \\t]*(.*(?:\\n[ \\t]+.*)*)`, "im").exec(stanza)?.[1] ?? "")
        .split(/\s+/)
        .filter(Boolean);
    const fits =
      words("Types").includes("deb") &&
      words("Suites").includes(codename) &&
      words("Components").includes("main") &&
      words("Enabled")[0]?.toLowerCase() !== "no";
    if (!fits) return [];
    // A key may also be written out in the stanza; then the machine's own keyrings have to do.
    const key = words("Signed-By");
    const options = key.length === 1 && key[0]?.startsWith("/") ? `[signed-by=${key[0]}] ` : "";
    return words("URIs").map((address) => /** @type {Source} */ ({ options, address }));
  });
}
