/** What the names of files and the texts of small ones tell of a project. */

/** Files of a commit or a folder. */
export interface ProjectFiles {
  /** Paths from the root, with `/`; those deeper than `deepestPath` may be missing. */
  readonly paths: readonly string[];
  /** Texts of those that `filesToRead` names, as far as they could be read. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Something that was found, and what says so. */
export interface Fact {
  readonly name: string;
  /** The file, and what in it: `package.json names pnpm`. */
  readonly reason: string;
}

/** A version that the project asks for. */
export interface ToolchainWish {
  readonly tool: string;
  /** As the file writes it: `22`, `>=3.10`, `stable`. */
  readonly version: string;
  /** Path of the file that says so. */
  readonly file: string;
}

/** What has to be there for a check. */
export interface Need {
  readonly name: string;
  /** A shell command, run in the root of the project, that succeeds where it is there. */
  readonly probe: string;
  /** What the user does if it is missing. */
  readonly remedy: string;
}

export interface CheckWay {
  readonly command: string;
  readonly needs: readonly Need[];
}

/** A check that the project itself uses. */
export interface FoundCheck {
  /** Short, and unique in the project: `pytest`, `backend: pytest`. */
  readonly name: string;
  readonly speed: "fast" | "slow";
  /** Of a slow one. */
  readonly everyNIterations: number;
  readonly reason: string;
  /** The first of which everything is there is the check; the last is the plainest. Never empty. */
  readonly ways: readonly CheckWay[];
  /** What probably lacks where it fails: it may work without. */
  readonly hints: readonly Need[];
}

export interface ProjectFacts {
  readonly languages: readonly Fact[];
  readonly packageManagers: readonly Fact[];
  /** Folders of the packages of a monorepo. */
  readonly workspaces: readonly Fact[];
  readonly toolchains: readonly ToolchainWish[];
  readonly checks: readonly FoundCheck[];
}

/** One language's findings in one folder. */
export interface PartialFacts extends Partial<ProjectFacts> {
  /** The packages of its workspace have separate checks, unless it has tests itself, which include theirs. */
  readonly isEachMemberChecked?: boolean;
}

/** One folder of the project, as a possible root. */
export interface ProjectFolder {
  /** From the root of the repository; "" is the root itself. */
  readonly folder: string;
  /** Those above it, the nearest first. */
  readonly above: readonly ProjectFolder[];
  /** Paths below it. */
  readonly files: readonly string[];
  has(path: string): boolean;
  /** "" where the file is absent or could not be read. */
  text(path: string): string;
}

/** What a person installs for a program, where that is not the program's own name. */
export const packageOf: Readonly<Record<string, string>> = {
  mix: "Elixir",
  dotnet: "the .NET SDK",
  go: "Go",
  php: "PHP",
  composer: "Composer",
  mvn: "Maven",
  gradle: "Gradle",
  cargo: "Rust (rustup)",
  python3: "Python 3",
  cmake: "CMake and a compiler",
  meson: "Meson",
  ninja: "Ninja",
  autoreconf: "autoconf, automake and libtool",
};

/** A program of a search path. */
export const program = (
  name: string,
  remedy = `Install ${packageOf[name] ?? name}, then check again.`,
): Need => ({ name, probe: `command -v ${name}`, remedy });

/** The first of some files that is there. */
export const firstOf = (project: ProjectFolder, names: readonly string[]): string | undefined =>
  names.find((name) => project.has(name));

/** Where something is done by hand: `in the repository`, `in frontend of the repository`. */
export const inRepository = ({ folder }: Pick<ProjectFolder, "folder">): string =>
  folder === "" ? "in the repository" : `in ${folder} of the repository`;

/**
 * A check with one way, or with several.
 *
 * @param needs of the one way; a name is a program
 */
export const check = (
  speed: FoundCheck["speed"],
  name: string,
  reason: string,
  command: string | readonly CheckWay[],
  needs: readonly (string | Need)[] = [],
  { hints = [], every = 2 }: { readonly hints?: readonly Need[]; readonly every?: number } = {},
): FoundCheck => ({
  name,
  speed,
  everyNIterations: every,
  reason,
  hints,
  ways:
    typeof command === "string"
      ? [{ command, needs: needs.map((one) => (typeof one === "string" ? program(one) : one)) }]
      : command,
});
