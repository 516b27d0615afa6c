import type { Toolchains } from "./toolchains.ts";

/** Tells tools that there is no network, so that they do not wait for it. */
export const offlineEnvironment = {
  CARGO_NET_OFFLINE: "true",
  npm_config_offline: "true",
  COREPACK_ENABLE_NETWORK: "0",
  YARN_ENABLE_NETWORK: "0",
  GOPROXY: "off",
  UV_OFFLINE: "1",
  PIP_RETRIES: "0",
  MAVEN_ARGS: "--offline",
  COMPOSER_DISABLE_NETWORK: "1",
  HEX_OFFLINE: "1",
} as const;

/** The whole environment of a command: nothing comes from ours but the language. */
export function commandEnvironment(
  toolchains: Toolchains,
  {
    home,
    virtualEnvironment = null,
    isLayered = false,
    extra,
  }: {
    readonly home: string;
    /** The project's own Python packages, as seen inside. */
    readonly virtualEnvironment?: string | null;
    /** Whether package caches are writable, as a layer of each workspace above the shared ones. */
    readonly isLayered?: boolean;
    readonly extra: Readonly<Record<string, string>>;
  },
): Readonly<Record<string, string>> {
  const own = virtualEnvironment === null ? [] : [`${virtualEnvironment}/bin`];
  return {
    PATH: [...new Set([...own, ...toolchains.searchPath])].join(":"),
    HOME: home,
    TMPDIR: "/tmp",
    LANG: process.env.LANG ?? "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "1",
    ...offlineEnvironment,
    npm_config_update_notifier: "false",
    COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
    PYTHONDONTWRITEBYTECODE: "1",
    DOTNET_CLI_TELEMETRY_OPTOUT: "1",
    DOTNET_NOLOGO: "1",
    GIT_TERMINAL_PROMPT: "0",
    // The view of Git is read-only: reading must not try to write, and hooks must not be installed.
    GIT_OPTIONAL_LOCKS: "0",
    HUSKY: "0",
    SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1",
    ...(virtualEnvironment === null ? {} : { VIRTUAL_ENV: virtualEnvironment }),
    ...toolchains.environment,
    ...(isLayered ? toolchains.layeredEnvironment : {}),
    ...extra,
  };
}
