import type { GuardedPath } from "./guarded-paths.ts";
import type { Toolchains } from "./toolchains.ts";

/**
 * A Seatbelt profile for macOS: deny by default, read the system and the toolchains, write the workspace and a private
 * temporary folder, no network. The last rule that fits wins, so protected paths come last.
 */
export function seatbeltProfile(options: {
  workspace: string;
  temporary: string;
  guarded: readonly GuardedPath[];
  toolchains: Toolchains;
}): string {
  const { workspace, temporary } = options;
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
    `(allow file-read* file-write* ${paths([workspace, temporary])})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr"))',
    "(deny network*)",
    ...(guarded.length > 0 ? [`(deny file-write* ${paths(guarded)})`] : []),
    ...(hidden.length > 0 ? [`(deny file-read-data ${paths(hidden)})`] : []),
  ].join("\n");
}

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, "\\$&")}"`;
