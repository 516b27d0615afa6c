import type { Toolchains } from "./toolchains.ts";

/** The whole environment of a command: nothing comes from ours but the language. */
export function commandEnvironment(
  toolchains: Toolchains,
  home: string,
  extra: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    PATH: toolchains.searchPath.join(":"),
    HOME: home,
    TMPDIR: "/tmp",
    LANG: process.env.LANG ?? "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "1",
    // There is no network: say so to tools that would otherwise wait for it.
    CARGO_NET_OFFLINE: "true",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
    npm_config_cache: "/tmp/npm-cache",
    PYTHONDONTWRITEBYTECODE: "1",
    GIT_TERMINAL_PROMPT: "0",
    ...toolchains.environment,
    ...extra,
  };
}
