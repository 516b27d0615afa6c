import type { GuardedPath } from "./guarded-paths.ts";
import type { Toolchains } from "./toolchains.ts";

/**
 * A Seatbelt profile for macOS: deny by default, read the system and the toolchains, write the workspace and private
 * folders, no network: what listens on this machine would be reached as well, and it is the person's. The last rule that
 * fits wins, so protected paths come last.
 */
export function seatbeltProfile(options: {
  workspace: string;
  /** Folders outside of it that are its commands' own. */
  private: readonly string[];
  guarded: readonly GuardedPath[];
  toolchains: Toolchains;
}): string {
  const { workspace } = options;
  const readable = [
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Applications/Xcode.app",
    "/opt/homebrew",
    "/private/var/select",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
    "/private/etc/ssl",
    "/dev",
    ...options.toolchains.readable,
  ];
  const paths = (list: readonly string[]): string =>
    list.map((path) => `(subpath ${quoted(path)})`).join(" ");
  const { hidden } = options.toolchains;
  const guarded = options.guarded.map(({ path }) => `${workspace}/${path}`);
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec signal)",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") ${paths(readable)})`,
    `(allow file-read* file-write* ${paths([workspace, ...new Set(options.private)])})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr"))',
    "(deny network*)",
    ...(guarded.length > 0 ? [`(deny file-write* ${paths(guarded)})`] : []),
    ...(hidden.length > 0 ? [`(deny file-read-data ${paths(hidden)})`] : []),
  ].join("\n");
}

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, "\\$&")}"`;
