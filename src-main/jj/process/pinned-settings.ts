import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trackedFileset } from "#shared/domain/files/tool-caches.ts";
import { findTool } from "../../config/tools.ts";

/**
 * Settings that could hang a command, prompt the user, change what we parse, or start a program that the
 * repository names (jj treats a folder's `.jj/repo/config.toml` as the user's own). The user's name, email,
 * revset aliases and everything else stay. Signatures are dropped from what Hox rewrites: a missing key or a
 * passphrase prompt would stop every agent, and `git.sign-on-push` still signs what is pushed.
 */
const everywhere = `[ui]
log-word-wrap = false
progress-indicator = false
show-cryptographic-signatures = false
diff-formatter = ":git"
[signing]
behavior = "drop"
[fsmonitor]
backend = "none"
[diff.git]
context = 3
show-path-prefix = true
[templates]
commit_summary = 'self.commit_id() ++ " " ++ self.change_id()'
`;

/** The user's own template may show signatures, and jj would start whatever program is named here. */
const withoutSigning = `[signing.backends]
gpg.program = "gpg"
gpgsm.program = "gpgsm"
ssh.program = "ssh-keygen"
`;

/**
 * The settings as one file: shorter in the user's operation log than a dozen `--config`.
 * @param purpose `remote` for a push, which signs with the user's program if configured
 * @param folder the cache
 * @returns its path
 */
export function pinnedSettings(purpose: "local" | "remote", folder: string): string {
  const git = findTool("git");
  // jj needs no git but for a remote: then this name, which no program has, starts none.
  const gitOfJj = purpose === "local" ? "hox-starts-no-git" : git.found ? git.path : null;
  const text = [
    everywhere,
    ...(purpose === "local" ? [withoutSigning] : []),
    ...(gitOfJj === null ? [] : [`[git]\nexecutable-path = ${JSON.stringify(gitOfJj)}\n`]),
  ].join("");
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.toml`;
  const path = join(folder, "jj", name);
  if (!existsSync(path)) {
    mkdirSync(join(folder, "jj"), { recursive: true });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, path);
  }
  return path;
}

/** In agents' folders the user's preferences must not exclude any of their files. */
export const agentFolderSettings: readonly string[] = [
  "--config",
  `snapshot.auto-track=${JSON.stringify(trackedFileset)}`,
  "--config",
  "snapshot.max-new-file-size=67108864",
  "--config",
  "ui.conflict-marker-style=diff",
  "--config",
  "snapshot.auto-update-stale=false",
];
