import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { findTool } from "../../config/tools.ts";

export interface Toolchains {
  /** Folders outside the system's own that a command may read: compilers, interpreters, their packages. */
  readonly readable: readonly string[];
  /** Where programs are looked for inside, most wanted first. */
  readonly searchPath: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Only the parts of the home folder that hold programs. `.cargo` itself holds the user's registry token, so two of its
 * folders are named instead.
 */
const inHome = [
  ".pyenv",
  ".rustup",
  ".cargo/bin",
  ".cargo/registry",
  ".cargo/git",
  ".nvm/versions",
  ".volta/tools",
  ".volta/bin",
  ".asdf",
  ".local/share/mise",
  ".bun/bin",
  ".deno/bin",
  "go/bin",
  "go/pkg",
] as const;

const system = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** `extra` are further folders that the user allows in the configuration. */
export function findToolchains(extra: readonly string[] = [], home: string = homedir()): Toolchains {
  const node = findTool("node");
  const nodeFolder = node.found ? dirname(realpathSync(node.path)) : null;
  const folders = [
    ...inHome.map((part) => join(home, part)),
    ...extra,
    ...(nodeFolder ? [nodePrefix(nodeFolder)] : []),
  ];
  const readable = [...new Set(folders)].filter(
    (folder) => isAbsolute(folder) && existsSync(folder) && !isSystem(folder) && !holds(folder, home),
  );
  const fromUser = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => readable.some((root) => folder === root || folder.startsWith(`${root}/`)));
  const environment: Record<string, string> = {};
  if (existsSync(join(home, ".rustup"))) environment.RUSTUP_HOME = join(home, ".rustup");
  if (existsSync(join(home, ".pyenv"))) environment.PYENV_ROOT = join(home, ".pyenv");
  return {
    readable,
    searchPath: [...new Set([...(nodeFolder ? [nodeFolder] : []), ...fromUser, ...system])],
    environment,
  };
}

const isSystem = (folder: string): boolean =>
  folder === "/usr" || folder.startsWith("/usr/") || system.includes(folder);

/** The home folder as a whole is never shown, however it came into the list. */
const holds = (folder: string, home: string): boolean =>
  folder === home || home.startsWith(folder === "/" ? "/" : `${folder}/`);

/** `<prefix>/bin/node` brings npm in `<prefix>/lib`; a node that stands alone brings only its folder. */
function nodePrefix(folder: string): string {
  const prefix = dirname(folder);
  return existsSync(join(prefix, "lib", "node_modules", "npm")) ? prefix : folder;
}
