/** What is known of a language tool: where it keeps its programs, packages and keys. */
export interface SupportedToolchain {
  /** Variables that say where its folder is; the first one that is set decides. */
  readonly variables?: readonly string[];
  /** Usual places, relative to the home folder or absolute; every one that exists is taken. */
  readonly folders: readonly string[];
  /** Its readable parts, relative to the folder; "" is all of it. `*` matches any one name. */
  readonly shown: readonly string[];
  /** Files within that may hold keys, tokens or passwords, and are empty inside. */
  readonly hidden?: readonly string[];
  /** Packages that tools also write to: each workspace has its own layer above them. */
  readonly caches?: readonly string[];
  /** Folders of programs, for when Hox is started without a shell's PATH. */
  readonly programs?: readonly string[];
  /** `$` is its folder. Variables with a missing path are not set. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The same, if a workspace has a layer above the caches: these tools fail on a read-only one. */
  readonly layered?: Readonly<Record<string, string>>;
  /** Links in HOME to a cache, for tools without a setting for its path. Only with layers. */
  readonly inHome?: Readonly<Record<string, string>>;
}

/** npm reads settings next to Node, and they may contain a registry's token. */
export const npmSettings = ["etc/npmrc", "lib/node_modules/npm/npmrc"];
/** The same parts in a folder. */
export const below = (folder: string, parts: readonly string[]): readonly string[] =>
  parts.map((part) => `${folder}/${part}`);
