/**
 * Which of a repository's own settings apply to a git that Hox starts. `.git/config` may come from an archive
 * and is untrusted: only what is listed here applies, everything else is the user's.
 */
import { join, relative, resolve, sep } from "node:path";

/** Scopes of `git config --show-scope` that come with a repository, also by a file that it includes. */
const repositoryScopes: readonly string[] = ["local", "worktree"];

/** Whether a setting is the repository's own word. */
const isOfRepository = ({ scope }: Pick<GitSetting, "scope">): boolean => repositoryScopes.includes(scope);

export interface GitSetting {
  readonly scope: string;
  /** The file that says so; null where no file does. */
  readonly file: string | null;
  /** As git prints it: section and name in lower case, what is between them as it was written. */
  readonly key: string;
  /** Null for a name without value, which means yes. */
  readonly value: string | null;
}

/** A setting that git is given after all files: name and value. */
export type SettingToGive = readonly [string, string];

/**
 * Settings that name no program, no file and no server but the remote itself, by section and name. To let another one count, add
 * it here.
 */
const harmless: readonly RegExp[] = [
  /^(?:advice|author|branch|color|column|committer|extensions|i18n|index|pack|push|url|user)\./u,
  /^core\.(?:abbrev|autocrlf|checkroundtripencoding|checkstat|commentchar|createobject|disambiguate|eol|fsync|fsyncmethod|hidedotfiles|safecrlf|sharedrepository|symlinks|whitespace|worktree)$/u,
  /^diff\.(?:algorithm|colormoved|colormovedws|dirstat|ignoresubmodules|renames|submodule|wserrorhighlight)$/u,
  /^fetch\.(?:fsck\..+|negotiationalgorithm|output|recursesubmodules)$/u,
  /^http\.(?:.+\.)?(?:extraheader|version)$/u,
  /^init\.(?:defaultbranch|defaultobjectformat)$/u,
  // Where git-lfs keeps content. Hox itself takes a place outside the repository from the user only.
  /^lfs\.storage$/u,
  /^merge\.(?:conflictstyle|renames)$/u,
  /^remote\..+\.(?:fetch|followremotehead|partialclonefilter|push|pushurl|tagopt|url)$/u,
  /^submodule\..+\.(?:branch|ignore|url)$/u,
];

/** A switch or a number names nothing. */
const isPlain = (value: string | null): boolean =>
  value === null || /^(?:true|false|yes|no|on|off|-?\d+[kmg]?)$/iu.test(value);

/** Switches that count for nothing all the same: what they switch off protects. */
const protectiveSwitches = /^(?:filter|http|protocol|credential)\./u;

/** What `git lfs install --local` writes: a program that the user has installed, and nothing of the repository's own. */
const installedLfs =
  /^filter\.lfs\.(?:required\n(?:true|false)|(?:clean|smudge|process)\ngit-lfs (?:clean|smudge|filter-process)(?: --skip)?(?: -- %f)?)$/u;

const counts = ({ key, value }: GitSetting): boolean =>
  harmless.some((pattern) => pattern.test(key)) ||
  (isPlain(value) && !protectiveSwitches.test(key)) ||
  installedLfs.test(`${key}\n${value ?? "true"}`);

/** What git does without a setting, where an empty value would mean something else. */
function unset(key: string): string {
  if (key.startsWith("protocol.")) return "never";
  if (/^http\..*(?:sslverify|schannelcheckrevoke)$/u.test(key)) return "true";
  const name = key.slice(key.lastIndexOf(".") + 1);
  return withoutSetting[name] ?? "";
}

const withoutSetting: Readonly<Record<string, string>> = {
  required: "false",
  sshcommand: "ssh",
  gitproxy: "none",
};

/** A repository's programs for a remote, of which git uses the first: they cannot be overridden. */
export const programsOfRemotes = (settings: readonly GitSetting[]): readonly string[] =>
  settings
    .filter(
      (setting) =>
        isOfRepository(setting) && /^remote\..+\.(?:receivepack|uploadpack|vcs)$/u.test(setting.key),
    )
    .map(({ key }) => key);

/** Settings as `git config --list --null --show-scope --show-origin` prints them. */
export function parseGitSettings(listed: string): readonly GitSetting[] {
  const cells = listed.split("\0");
  const settings: GitSetting[] = [];
  for (let at = 0; at + 2 < cells.length; at += 3) {
    const [scope = "", origin = "", entry = ""] = cells.slice(at, at + 3);
    const end = entry.indexOf("\n");
    settings.push({
      scope,
      file: origin.startsWith("file:") ? origin.slice("file:".length) : null,
      key: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? null : entry.slice(end + 1),
    });
  }
  return settings;
}

/**
 * Overrides of disallowed repository settings, for git's command line.
 * @param settings what git reads in the repository, in git's order
 */
export function takeBackSettings(settings: readonly GitSetting[]): readonly SettingToGive[] {
  const ofUser = settings.filter((setting) => !isOfRepository(setting));
  const refused = new Set(
    settings
      // What an include brought is listed itself.
      .filter((setting) => isOfRepository(setting) && !isInclude(setting.key))
      .filter((setting) => !counts(setting))
      .map(({ key }) => key),
  );
  const takenBack = [...refused].map(
    (key): SettingToGive => [
      key,
      // An empty helper clears the list of helpers.
      isHelper(key) ? "" : (ofUser.findLast((setting) => setting.key === key)?.value ?? unset(key)),
    ],
  );
  const helpers = [...refused].some(isHelper) ? ofUser.filter(({ key }) => isHelper(key)) : [];
  return [...takenBack, ...helpers.map(({ key, value }): SettingToGive => [key, value ?? ""])];
}

/** A command of a filter that git would start. */
export interface FilterCommand {
  readonly name: string;
  readonly key: string;
  readonly command: string;
}

/** Filter commands after a repository's own are overridden. */
export function effectiveFilters(settings: readonly GitSetting[]): readonly FilterCommand[] {
  const commands = new Map<string, FilterCommand>();
  for (const setting of settings) {
    const { key, value } = setting;
    const [, name] = /^filter\.(.+)\.(?:clean|smudge|process)$/u.exec(key) ?? [];
    const isRefused = isOfRepository(setting) && !counts(setting);
    if (name !== undefined && !isRefused) commands.set(key, { name, key, command: value ?? "" });
  }
  return [...commands.values()];
}

/** Whether a file that a repository includes may change what it says. */
export const includesFiles = (settings: readonly GitSetting[]): boolean =>
  settings.some((setting) => isOfRepository(setting) && isInclude(setting.key));

const isInclude = (key: string): boolean => /^include(?:if)?\./u.test(key);

const isHelper = (key: string): boolean => /^credential\.(?:.+\.)?helper$/u.test(key);

/** The environment that gives git some settings, after those that it names already. */
export function settingsEnvironment(
  added: readonly SettingToGive[],
  environment: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const first = Number(environment.GIT_CONFIG_COUNT) || 0;
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(first + added.length)],
    ...added.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${first + at}`, key],
      [`GIT_CONFIG_VALUE_${first + at}`, value],
    ]),
  ]);
}

/**
 * The folder of git-lfs's contents and drafts: not the default one only if the user's settings say so, and
 * not just the repository's.
 * @param gitFolder the folder that all worktrees share
 * @param storage the setting `lfs.storage`; an empty value if there is none
 */
export function lfsFolder(
  gitFolder: string,
  storage: { readonly scope: string; readonly value: string },
): string {
  const defaultFolder = join(gitFolder, "lfs");
  if (storage.value === "") return defaultFolder;
  const named = resolve(gitFolder, storage.value);
  const isInside = !relative(gitFolder, named).split(sep).includes("..");
  return isInside || !isOfRepository(storage) ? named : defaultFolder;
}
