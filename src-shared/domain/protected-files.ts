/** Not even the configuration can open these: jj and Git trust what they find there, and Hox what it is told. */
export const alwaysProtected = [".git", ".jj", ".hox"] as const;

/** The documents' list and what belongs to it. (PLAN-8a) */
export const defaultProtectedFiles: readonly string[] = [
  ...alwaysProtected,
  ".env",
  "Cargo.lock",
  "package-lock.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  ".secrets",
  ".gitignore",
];

/**
 * Files that steer the next agent, the next shell or the next build: planted here, they act later. Always protected
 * unless the configuration lifts one with an exclamation mark, as in "!AGENTS.md".
 */
export const steeringFiles: readonly string[] = [
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".mcp.json",
  ".claude",
  ".cursor",
  ".cursorrules",
  ".github",
  ".gitlab-ci.yml",
  ".circleci",
  ".husky",
  ".envrc",
  ".npmrc",
  ".gitattributes",
  ".gitmodules",
  ".vscode",
];
