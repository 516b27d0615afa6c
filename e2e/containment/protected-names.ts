/**
 * Protected files as the documents, the notes and the findings name them, each as one file that would do harm. Written
 * down here once more on purpose: the list that is tried must not come from the code that is tried.
 */
export const protectedNames = [
  ".env",
  "Cargo.lock",
  "package-lock.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  ".secrets",
  ".gitignore",
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".mcp.json",
  ".claude/settings.json",
  ".cursor/rules/all.md",
  ".cursorrules",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  ".circleci/config.yml",
  ".husky/pre-commit",
  ".envrc",
  ".npmrc",
  ".gitattributes",
  ".gitmodules",
  ".vscode/tasks.json",
  ".hox/config.toml",
] as const;

/** Those that the notes of the findings ask for beside them. */
export const furtherProtectedNames = [
  ".env.local",
  ".env.production",
  "uv.lock",
  "poetry.lock",
  "go.sum",
  "bun.lock",
  "bun.lockb",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".cargo/config.toml",
  ".pre-commit-config.yaml",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".windsurfrules",
  ".devcontainer/devcontainer.json",
  "Jenkinsfile",
  "CLAUDE.local.md",
  "AGENTS.override.md",
  ".clinerules",
  ".kiro/steering/all.md",
  ".opencode/agent/a.md",
  "opencode.json",
  ".idea/workspace.xml",
  ".zed/tasks.json",
  "app.code-workspace",
  ".forgejo/workflows/ci.yml",
  ".gitea/workflows/ci.yml",
  ".travis.yml",
  "azure-pipelines.yml",
  ".drone.yml",
  ".woodpecker.yml",
  ".buildkite/pipeline.yml",
  "bitbucket-pipelines.yml",
  "CODEOWNERS",
  "lefthook.yml",
  ".lintstagedrc.json",
  ".githooks/pre-commit",
  ".lfsconfig",
  ".yarnrc",
  "bunfig.toml",
  "rust-toolchain.toml",
  ".mvn/extensions.xml",
] as const;

const all = [...protectedNames, ...furtherProtectedNames, ".git/config", ".jj/repo"].map((name) =>
  name.toLowerCase().split("/"),
);

/** Names that some file system takes as the same. */
const spelling = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/u, "")
    .replace(/(?<=.)[. ]+$/u, "")
    .toLowerCase();

/** Whether a path of a commit is protected, or is in a protected folder. */
export function isProtectedPath(path: string): boolean {
  const parts = path.split("/").map(spelling);
  return all.some(([first]) => parts.includes(first ?? ""));
}
