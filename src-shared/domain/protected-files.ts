/** Not even the configuration can open these: jj and Git trust what they find there, and Hox what it is told. */
export const alwaysProtected = [".git", ".jj", ".hox"] as const;

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
  // What was installed, and from where.
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
