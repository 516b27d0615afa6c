/** A project of others: where it comes from, how its user sets it up, what is changed in it, how its user tests it. */

export type Registry = "npm" | "pypi" | "crates" | "debian";

/** What a registry carries under a name and a version, and the checksum of the very bytes. */
export interface Archive {
  readonly registry: Registry;
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** The part of it that is the project, where it carries several. Default: all. */
  readonly folder?: string;
}

/** A program that has to be on the machine. The suite installs none. */
export interface Program {
  readonly name: string;
  readonly remedy: string;
  /** A command that succeeds where it is of use. Default: it is on PATH. */
  readonly probe?: string;
}

/** A new file, or a text of one that is there in place of another. */
export type Edit =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly from: string; readonly to: string };

/** One agent's part: what it changes, and how it looks whether that works. */
export interface Work {
  /** Name in the plan. */
  readonly id: string;
  readonly title: string;
  readonly edits: readonly Edit[];
  readonly command: string;
  /** The command fails here, because of what the machine or the base is like, and why. Default: it has to succeed. */
  readonly failsBecause?: string;
}

export interface RealProject {
  readonly name: string;
  readonly language: string;
  /** What it is an example of. */
  readonly shows: readonly ("red" | "unproven" | "monorepo" | "native" | "localhost")[];
  readonly archive: Archive;
  readonly programs: readonly Program[];
  /** What a checkout has and the archive has not: `.gitignore`, `.hox/config.toml`, a lock file. */
  readonly files?: Readonly<Record<string, string>>;
  /** Shell commands in its folder that install its dependencies, as its user does; what they made is kept. */
  readonly install?: readonly string[];
  /** The same for what goes into the user's own caches, so that it has to be looked for each time. */
  readonly fetch?: readonly string[];
  readonly goal: string;
  readonly work: readonly Work[];
  /** How its user runs its tests, outside Hox. */
  readonly test: string;
  /** What that prints when the new test was among those that ran. */
  readonly proof: RegExp;
  /** Names of checks, as far as they have to be found. */
  readonly checks: readonly string[];
}

/** Something that a machine has not got: no failure, and nothing that passed. */
export class NotPossible extends Error {
  override readonly name = "NotPossible";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}
