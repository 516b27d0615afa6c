/** Not even the configuration can open these: jj and Git trust what they find there, and Hox what it is told. */
export const alwaysProtected = [".git", ".jj", ".hox"] as const;

/** What was installed, and from where. */
const lockFiles: readonly string[] = [
  "Cargo.lock",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "uv.lock",
  "poetry.lock",
  "Pipfile.lock",
  "go.sum",
  "Gemfile.lock",
  "composer.lock",
  "mix.lock",
];

/** The documents' list and what belongs to it. (PLAN-8a) */
export const defaultProtectedFiles: readonly string[] = [
  ...alwaysProtected,
  ".env",
  ".env.*",
  // What a project shows of its settings, without their values.
  "!.env.example",
  "!.env.sample",
  "!.env.template",
  ".secrets",
  ".gitignore",
  ...lockFiles,
];

/**
 * Files that steer the next agent, the next shell or the next build: planted here, they act later. Always protected
 * unless the configuration lifts one with an exclamation mark, as in "!AGENTS.md", or excepts a name from a wildcard, as
 * in "!.env.example".
 */
export const steeringFiles: readonly string[] = [
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".mcp.json",
  ".claude",
  ".codex",
  ".gemini",
  ".cursor",
  ".cursorrules",
  ".windsurfrules",
  ".github",
  ".gitlab-ci.yml",
  ".circleci",
  "Jenkinsfile",
  ".husky",
  ".pre-commit-config.yaml",
  ".envrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".cargo",
  ".gitattributes",
  ".gitmodules",
  ".vscode",
  ".devcontainer",
];

/**
 * Why a path is protected, in words that follow its name: the first name on its way that says so decides.
 * @param path relative to a workspace, with `/`
 */
export function protectedReason(path: string): string {
  for (const name of path.split("/").map((part) => part.toLowerCase())) {
    if ((alwaysProtected as readonly string[]).includes(name)) return "it belongs to Git, jj or Hox";
    if (/^\.env(?:\.|$)/u.test(name) || name === ".secrets") return "it may hold secrets";
    if (name === ".gitignore") return "it decides what is recorded";
    if (lockFiles.some((file) => file.toLowerCase() === name))
      return "a lock file says what was installed, and from where";
    if (steeringFiles.some((file) => file.toLowerCase() === name))
      return "it steers agents, shells, editors or builds that come later";
  }
  return "protected_files of .hox/config.toml lists it";
}
