import type { CardBase } from "./card.ts";

/** An agent asks for a package. Installed in a sandbox of its own, and in the files of everybody below. */
export interface DependencyCard extends CardBase {
  readonly kind: "dependency";
  /** Who asks, the first first. */
  readonly from: string;
  readonly others: readonly string[];
  readonly name: string;
  /** Null: the newest. */
  readonly version: string | null;
  /** For developing alone. */
  readonly dev: boolean;
  /** npm, pnpm, uv, cargo, … */
  readonly manager: string;
  /** Of its manifest; "" is the repository's root. */
  readonly folder: string;
  readonly why: string;
  readonly command: string;
  /** What the command may reach, and what says so. */
  readonly hosts: readonly string[];
  readonly hostsFrom: string;
  /** False: there is no sandbox here, and it can reach and change everything. */
  readonly isHeld: boolean;
  /** Whether code of packages runs with it, in words. */
  readonly scripts: string;
  /** Files that it may change, lock files among them. */
  readonly files: readonly string[];
  /** What `dependencies.allow` would have to hold, so that nobody is asked again. */
  readonly rule: string;
}
