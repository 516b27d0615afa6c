import { delimiter, isAbsolute } from "node:path";

/**
 * What a program is started for. `local` stays on this machine; `remote` talks to a Git remote in the user's
 * name; `desktop` shows something on the user's screen; `agent` is the user's own coding agent, with the
 * user's account.
 */
export type ChildPurpose = "local" | "remote" | "desktop" | "agent";

interface Names {
  readonly exact: readonly string[];
  /** Beginnings of names. */
  readonly families: readonly string[];
}

/** What programs need to find themselves, the user's folders and language. */
const everywhere: Names = {
  exact: [
    ...[
      "PATH",
      "HOME",
      "USER",
      "LOGNAME",
      "SHELL",
      "LANG",
      "LANGUAGE",
      "TZ",
      "TERM",
      "COLORTERM",
      "NO_COLOR",
    ],
    ...["TMPDIR", "TMP", "TEMP", "LD_LIBRARY_PATH", "LOCALE_ARCHIVE", "RUST_BACKTRACE"],
    // Windows does not start most programs without these.
    ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "NUMBER_OF_PROCESSORS"],
    ...["USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"],
    ...["PROGRAMDATA", "ALLUSERSPROFILE", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "PUBLIC"],
    // Where Git's own settings are; the rest of GIT_* says which repository, or holds what a remote wants to see.
    ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"],
  ],
  families: ["LC_", "XDG_", "JJ_", "NIX_LD", "PROCESSOR_"],
};

/** What a push needs beyond that: an agent that holds keys, how to ask for a password, a way through a proxy. */
const remote: Names = {
  exact: [
    ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"],
    ...["SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "NIX_SSL_CERT_FILE", "KRB5CCNAME", "KRB5_CONFIG"],
    ...["GNUPGHOME", "GPG_TTY", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"],
    ...["XAUTHORITY", "SSH_AUTH_SOCK", "SSH_AGENT_PID"],
  ],
  families: ["GIT_", "SSH_", "GCM_"],
};

/** These may include the user's browser, which reads its proxy here. */
const desktop: Names = {
  exact: [
    ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
    ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION"],
    ...["GDMSESSION", "BROWSER", "CHROME_DEVEL_SANDBOX", "GBM_BACKEND"],
  ],
  families: ["GDK_", "GTK_", "QT_", "KDE_", "MOZ_", "LIBVA_", "MESA_", "__GLX_", "PULSE_", "PIPEWIRE_"],
};

/** What the user's own coding agent needs to reach its model, in addition to its account. */
const agent: Names = {
  exact: [
    ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
    ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ],
  families: [],
};

/** The account of such an agent, at its maker or at a cloud. It has these wherever the user starts it. */
const ownAccount: readonly string[] = ["ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_"];

const purposes: Readonly<Record<ChildPurpose, Names>> = {
  local: { exact: [], families: [] },
  remote,
  desktop,
  agent,
};

/** Whatever started Hox, a Git hook for one, may mean another repository with these, or another program. */
const aboutOneRepository =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|QUARANTINE_PATH|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER)$/u;

/** Names of what opens a door somewhere. A socket to an agent and a program that asks are none. */
const isSecretName = (name: string): boolean =>
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|BEARER/u.test(name) &&
  !/^GIT_CONFIG_(?:KEY|VALUE)_\d+$/u.test(name);

/** Variables that hold the key of a model, whatever their names look like. */
const modelKeys = new Set<string>();

/** From now on no child sees this variable. A name that every program needs stays: a repository chose it. */
export function withholdFromChildren(name: string): void {
  modelKeys.add(name.toUpperCase());
}

/** Variable in which the user names others, separated by commas, that a push may see: `GH_TOKEN` for one. */
const pushVariables = "HOX_PUSH_ENV";

/**
 * The whole environment of a program that Hox starts outside the sandbox: what it needs for its purpose, and no key or
 * token. On `PATH` only absolute folders stay, or the folder that happens to be open would choose the program.
 */
export function childEnvironment(
  purpose: ChildPurpose = "local",
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const { exact, families } = purposes[purpose];
  const handed = purpose === "remote" ? namesIn(env[pushVariables]) : [];
  const isWanted = (name: string): boolean => {
    if (everywhere.exact.includes(name)) return true;
    if (purpose === "agent" && ownAccount.some((start) => name.startsWith(start))) return true;
    if (handed.includes(name)) return !name.startsWith("ANTHROPIC_");
    if (modelKeys.has(name) || isSecretName(name) || aboutOneRepository.test(name)) return false;
    return (
      exact.includes(name) || [...everywhere.families, ...families].some((start) => name.startsWith(start))
    );
  };
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // Windows writes `Path`, and Unix knows `http_proxy`.
    if (value !== undefined && isWanted(name.toUpperCase()))
      kept[name] = name.toUpperCase() === "PATH" ? absoluteFolders(value) : value;
  }
  return kept;
}

const namesIn = (list: string | undefined): readonly string[] =>
  (list ?? "").split(",").map((name) => name.trim().toUpperCase());

const absoluteFolders = (path: string): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
