import { nameMatcher } from "./glob.ts";

/** Not even the configuration can unprotect these: jj, Git and Hox trust their content. */
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
 * Files that affect the next agent, shell or build. A name matches a file or folder anywhere, one with a
 * slash a path from the root, two stars and a slash before it that path anywhere. To protect one more, add it
 * to its row here, and to `config.default.toml`.
 */
const steering: readonly { readonly what: string; readonly files: readonly string[] }[] = [
  {
    what: "instructions and settings of coding agents",
    files: [
      "AGENTS.md",
      "AGENTS.override.md",
      "AGENT.md",
      "CLAUDE.md",
      "CLAUDE.local.md",
      "GEMINI.md",
      "QWEN.md",
      "CRUSH.md",
      "WARP.md",
      ".mcp.json",
      ".agents",
      ".claude",
      ".claude-plugin",
      ".codex",
      ".gemini",
      ".qwen",
      ".cursor",
      ".cursorrules",
      ".windsurf",
      ".windsurfrules",
      ".codeium",
      ".cline",
      ".clinerules",
      ".roo",
      ".roomodes",
      ".roorules",
      ".kilocode",
      ".kilocodemodes",
      ".kiro",
      ".opencode",
      "opencode.json",
      "opencode.jsonc",
      ".crush.json",
      "crush.json",
      ".continue",
      ".continuerules",
      ".augment",
      ".augment-guidelines",
      ".junie",
      ".trae",
      ".amazonq",
      ".openhands",
      ".factory",
      ".goose",
      ".goosehints",
      ".tabnine",
      ".rules",
      ".aider.conf.yml",
    ],
  },
  {
    what: "editor settings, which can start programs when the folder is opened",
    files: [
      ".vscode",
      ".idea",
      ".zed",
      ".fleet",
      "*.code-workspace",
      ".devcontainer",
      ".devcontainer.json",
      "devfile.yaml",
      ".gitpod.yml",
      ".idx",
      ".replit",
      ".exrc",
      ".nvimrc",
      ".nvim.lua",
      ".dir-locals.el",
    ],
  },
  {
    what: "pipelines and code owners",
    files: [
      ".github",
      ".forgejo",
      ".gitea",
      ".gitlab",
      ".gitlab-ci.yml",
      ".circleci",
      ".travis.yml",
      "azure-pipelines.yml",
      "azure-pipelines.yaml",
      ".azure-pipelines",
      ".azuredevops",
      ".drone.yml",
      ".drone.yaml",
      ".woodpecker.yml",
      ".woodpecker.yaml",
      ".woodpecker",
      ".buildkite",
      ".semaphore",
      ".teamcity",
      ".tekton",
      ".harness",
      ".zuul.yaml",
      ".zuul.d",
      ".build.yml",
      ".builds",
      ".cirrus.yml",
      ".cirrus.star",
      "bitbucket-pipelines.yml",
      "appveyor.yml",
      ".appveyor.yml",
      "buildspec.yml",
      "cloudbuild.yaml",
      "Jenkinsfile",
      "CODEOWNERS",
      ".mergify.yml",
      "renovate.json",
      "renovate.json5",
      ".renovaterc",
      ".renovaterc.json",
    ],
  },
  {
    what: "Git's settings and hooks",
    files: [
      ".gitattributes",
      ".gitmodules",
      ".gitconfig",
      ".lfsconfig",
      ".githooks",
      ".git-hooks",
      ".husky",
      ".huskyrc",
      ".huskyrc.*",
      ".lintstagedrc",
      ".lintstagedrc.*",
      ".pre-commit-config.yaml",
      ".pre-commit-hooks.yaml",
      "lefthook.yml",
      "lefthook.yaml",
      "lefthook.json",
      "lefthook.toml",
      ".lefthook.*",
      "lefthook-local.*",
      ".lefthook",
      ".lefthook-local",
      ".overcommit.yml",
      ".simple-git-hooks.*",
      "simple-git-hooks.*",
    ],
  },
  {
    what: "files that shells, debuggers and interpreters read from the current folder",
    files: [
      ".envrc",
      ".tool-versions",
      ".mise",
      ".mise.toml",
      "mise.toml",
      ".autoenv",
      ".gdbinit",
      ".lldbinit",
      ".pdbrc",
      ".irbrc",
      ".pryrc",
      ".Rprofile",
      "sitecustomize.py",
      "usercustomize.py",
    ],
  },
  {
    what: "package managers and toolchains: sources and program versions",
    files: [
      ".npmrc",
      ".yarnrc",
      ".yarnrc.yml",
      "**/.yarn/releases",
      "**/.yarn/plugins",
      ".pnpmfile.cjs",
      ".pnpmfile.mjs",
      "bunfig.toml",
      ".cargo",
      "rust-toolchain",
      "rust-toolchain.toml",
      ".bundle",
      ".mvn",
      "gradle-wrapper.properties",
      "gradle-wrapper.jar",
      ".condarc",
      "pip.conf",
      "uv.toml",
      "poetry.toml",
      "nuget.config",
    ],
  },
];

/** All of them. Always protected unless the configuration lifts one with an exclamation mark, as in "!AGENTS.md". */
export const steeringFiles: readonly string[] = steering.flatMap(({ files }) => files);

/** Whether a path contains one of them. */
function isSteering(path: string): boolean {
  const names = path.toLowerCase().split("/");
  const fits = (entry: readonly string[], start: number): boolean =>
    entry.every((part, at) => nameMatcher(part)(names[start + at] ?? "\0"));
  return steeringFiles.some((file) => {
    const [first = "", ...others] = file.toLowerCase().split("/");
    const isAnywhere = others.length === 0 || first === "**";
    const entry = first === "**" ? others : [first, ...others];
    return isAnywhere ? names.some((_, at) => fits(entry, at)) : fits(entry, 0);
  });
}

const isSecretName = (name: string): boolean => /^\.env(?:\.|$)/u.test(name) || name === ".secrets";

/** Whether a file's name suggests secrets: its content is shown only on request. */
export const mayHoldSecrets = (path: string): boolean => path.toLowerCase().split("/").some(isSecretName);

/**
 * Why a path is protected, in words that follow its name: the first name on its way that says so decides.
 * @param path relative to a workspace, with `/`
 */
export function protectedReason(path: string): string {
  for (const name of path.split("/").map((part) => part.toLowerCase())) {
    if ((alwaysProtected as readonly string[]).includes(name)) return "it belongs to Git, jj or Hox";
    if (isSecretName(name)) return "it may contain secrets";
    if (name === ".gitignore") return "it decides which files are recorded";
    if (lockFiles.some((file) => file.toLowerCase() === name))
      return "it is a lock file, which records what was installed and from where";
  }
  if (isSteering(path)) return "it controls later agents, shells, editors or builds";
  return "protected_files of .hox/config.toml lists it";
}

/** Files with a project's instructions for agents. */
const names = ["AGENTS.md", "CLAUDE.md"];

/** Folders that hold code of others. */
const foreign = /(?:^|\/)(?:node_modules|vendor|third_party|\.venv|venv|site-packages)\//u;

/** @param path relative to the repository's root, with `/` */
export const isInstructionFile = (path: string): boolean =>
  names.includes(path.split("/").at(-1) ?? "") && !foreign.test(path);

/**
 * Whether what such a file says holds for some of these files: it holds for its folder and everything below it.
 *
 * @param path of the instruction file
 * @param claims paths or globs of files, as a plan gives them
 */
export function reachesAnyOf(path: string, claims: readonly string[]): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return (
    folder === "" ||
    claims.some((claim) => {
      const star = claim.search(/[*?[{]/u);
      const fixed = star < 0 ? claim : claim.slice(0, star);
      return fixed.startsWith(folder) || (star >= 0 && folder.startsWith(fixed));
    })
  );
}
