import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { shellQuote } from "#shared/domain/text/shell-quote.ts";
import { childEnvironment } from "../../config/child-environment.ts";
import { findTool } from "../../config/tools.ts";
import { runProgram } from "../../processes/run-program.ts";
import { JjError } from "./errors.ts";
import { readGitCheckout } from "./git-checkout.ts";
import {
  effectiveFilters,
  type GitSetting,
  includesFiles,
  lfsFolder,
  parseGitSettings,
  programsOfRemotes,
  type SettingToGive,
  settingsEnvironment,
  takeBackSettings,
} from "./git-settings.ts";

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input?: string;
  /** Default: the repository's own. */
  readonly indexFile?: string;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

export interface GitOutput {
  /** Absent when there is no git, or when it did not end in time. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const patienceMs = 30_000;

/** Whatever any settings say: nothing is asked, watched, hooked, paged or fetched. */
const startsNothing = [
  "--no-pager",
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "core.sshCommand=false"],
  ...["-c", "core.askPass=false"],
  ...["-c", "core.editor=false"],
  ...["-c", "credential.helper="],
  ...["-c", "protocol.allow=never"],
  ...["-c", "submodule.recurse=false"],
];

/** The same for programs that git starts in turn. */
const asksNobody = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  GIT_SSH_COMMAND: "false",
  GIT_EDITOR: "false",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
};

const withoutLastEnd = (text: string): string => text.replace(/\r?\n$/u, "");

/**
 * Reads with git, and starts nothing that the folder names: no hook, monitor, pager, remote helper or fetch
 * of what a partial clone lacks. Only for commands that read no file of the working copy.
 * @returns git's output and exit code; without git its absence
 */
export async function runGit(call: GitCall): Promise<GitOutput> {
  return asText(async (onOutput) => runGitBytes(call, onOutput));
}

async function asText(
  run: (onOutput: (bytes: Uint8Array) => void) => Promise<Omit<GitOutput, "stdout">>,
): Promise<GitOutput> {
  const output: Uint8Array[] = [];
  const ended = await run((bytes) => void output.push(bytes));
  return { ...ended, stdout: withoutLastEnd(Buffer.concat(output).toString("utf8")) };
}

/** The same for what is no text, or too long to be held: the bytes come as git writes them. */
export async function runGitBytes(
  call: GitCall,
  onOutput: (bytes: Uint8Array) => void,
): Promise<Omit<GitOutput, "stdout">> {
  return start(call, settingsEnvironment(await settingsTakenBack(call)), onOutput);
}

/**
 * The same for commands that write branches, the index and files. The user's own filters run, as in a
 * terminal; those from this repository's settings only do not, and neither do hooks. git-lfs gets a
 * repository that shares only the content with this one.
 */
export async function runGitOnFiles(call: GitCall): Promise<GitOutput> {
  const settings = await readSettings(call);
  return withLfsApart(call.cwd, settings, (lfs) =>
    asText((onOutput) =>
      start(
        call,
        {
          // The files are those of this folder, whatever `core.worktree` says.
          GIT_WORK_TREE: call.cwd,
          ...settingsEnvironment([...takeBackSettings(settings), ...lfs]),
        },
        onOutput,
      ),
    ),
  );
}

/**
 * Runs with settings that start the filters of git-lfs in an empty repository. It finds no address,
 * credentials, proxy, program or `.lfsconfig` there, so it connects nowhere and starts nothing. Pointers of
 * missing content stay, until the user fetches it.
 */
async function withLfsApart<T>(
  root: string,
  settings: readonly GitSetting[],
  use: (settings: readonly SettingToGive[]) => Promise<T>,
): Promise<T> {
  const filters = effectiveFilters(settings).filter(
    ({ name, command }) => command !== "" && (name === "lfs" || /\bgit[- ]lfs\b/u.test(command)),
  );
  const gitFolder = readGitCheckout(root)?.commonFolder;
  if (filters.length === 0 || gitFolder === undefined) return use([]);
  const storage = settings.findLast(({ key }) => key === "lfs.storage");
  const contents = lfsFolder(gitFolder, { scope: storage?.scope ?? "", value: storage?.value ?? "" });
  const folder = await mkdtemp(join(tmpdir(), "hox-lfs-"));
  try {
    await makeEmptyRepository(folder, "[lfs]\n\tskipdownloaderrors = true\n");
    // Contents and drafts.
    await mkdir(contents, { recursive: true });
    await symlink(contents, join(folder, ".git", "lfs"), "junction");
    return await use(filters.map(({ key, command }) => [key, `${entering(folder)}${command}`]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes a folder a Git repository without commits or files, and with only these settings. Starts no process. */
export async function makeEmptyRepository(folder: string, settings = ""): Promise<void> {
  const git = (...names: readonly string[]) => join(folder, ".git", ...names);
  for (const name of ["objects", "refs", "info"]) await mkdir(git(name), { recursive: true });
  await writeFile(git("HEAD"), "ref: refs/heads/main\n");
  await writeFile(git("config"), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${settings}`);
}

/** A beginning for a command of a filter, which git gives to a shell. */
const entering = (folder: string): string =>
  [
    `cd ${shellQuote(folder)}`,
    `unset OLDPWD $(env | sed -n 's/^\\(GIT_[A-Z0-9_]*\\)=.*/\\1/p')`,
    `export GIT_DIR=${shellQuote(join(folder, ".git"))} GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1`,
    "",
  ].join(" && ");

/**
 * The environment of a push or a fetch: git uses programs, credentials and proxies from the user's own
 * settings, and none that only the repository names.
 * @param gitFolder the repository's own folder
 * @param environment git's other environment
 * @throws JjError if the repository names a program that cannot be overridden
 */
export async function remoteEnvironment(
  gitFolder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const settings = await readSettings({ args: [`--git-dir=${gitFolder}`], cwd: gitFolder });
  const [named] = programsOfRemotes(settings);
  if (named !== undefined)
    throw new JjError({
      kind: "failed",
      message: `The repository's Git settings set a program for its remote (${named}). Hox does not start programs set by a repository.`,
      remedy: `Remove it with \`git config --unset-all ${named}\`, or push in a terminal with \`git push\` if you trust it.`,
    });
  return settingsEnvironment(takeBackSettings(settings), environment);
}

async function start(
  { args, cwd, input, indexFile, timeoutMs = patienceMs }: GitCall,
  environment: Readonly<Record<string, string>>,
  onOutput: (bytes: Uint8Array) => void,
): Promise<Omit<GitOutput, "stdout">> {
  const tool = findTool("git");
  if (!tool.found) return { exitCode: undefined, stderr: tool.remedy };
  const { exitCode, stderr } = await runProgram(
    {
      program: tool.path,
      args: [...startsNothing, ...args],
      cwd,
      input,
      timeoutMs,
      env: {
        ...childEnvironment("local"),
        LC_ALL: "C",
        ...asksNobody,
        ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
        ...environment,
      },
    },
    onOutput,
  );
  return { exitCode: exitCode ?? undefined, stderr: withoutLastEnd(stderr) };
}

/** The arguments that name another repository than the one of the folder. */
const folderOptions = (args: readonly string[]): readonly string[] =>
  args.filter((option, at) => /^--git-dir(?:=|$)/u.test(option) || args[at - 1] === "--git-dir");

/** Of all settings as git lists them; people have some kilobytes. */
const maxSettingsBytes = 4_000_000;

/** What git reads where a call would run. */
async function readSettings({ input: _, ...call }: GitCall): Promise<readonly GitSetting[]> {
  const listing = ["config", "--list", "--null", "--show-scope", "--show-origin"];
  let bytes = 0;
  const { exitCode, stdout } = await asText((onOutput) =>
    start({ ...call, args: [...folderOptions(call.args), ...listing] }, {}, (part) => {
      bytes += part.length;
      if (bytes <= maxSettingsBytes) onOutput(part);
    }),
  );
  // Truncated settings could hide one that must be overridden.
  if (bytes > maxSettingsBytes)
    throw new JjError({
      kind: "config",
      message: `The Git settings of ${call.cwd} are larger than ${maxSettingsBytes / 1e6} MB.`,
      remedy: "Shorten .git/config and the files that it includes, or clone the repository again.",
    });
  // Without Git there is nothing to start either; a time-out would hide settings.
  if (exitCode === undefined && findTool("git").found)
    throw new JjError({
      kind: "config",
      message: `Reading the Git settings of ${call.cwd} timed out.`,
      remedy: "Check .git/config: an included file may be a pipe, or on a drive that does not respond.",
    });
  return exitCode === 0 ? parseGitSettings(stdout) : [];
}

interface CachedSettings {
  /** The files that they were read from. */
  readonly files: readonly string[];
  readonly fingerprint: string;
  readonly takenBack: readonly SettingToGive[];
}

/** By folder and the options that name another one. */
const cache = new Map<string, CachedSettings>();
const maxCached = 200;

/** The overrides of a repository's settings for one call. */
async function settingsTakenBack(call: GitCall): Promise<readonly SettingToGive[]> {
  if (call.args[0] === "--version") return [];
  const key = JSON.stringify([call.cwd, folderOptions(call.args)]);
  const last = cache.get(key);
  if (last && (await fingerprintOf(last.files)) === last.fingerprint) return last.takenBack;
  const settings = await readSettings(call);
  const takenBack = takeBackSettings(settings);
  const files = [...new Set(settings.flatMap(({ file }) => (file === null ? [] : resolve(call.cwd, file))))];
  // An included file may be anywhere, and may be created later.
  const isWhole = settings.some(({ scope }) => scope === "local") && !includesFiles(settings);
  if (cache.size >= maxCached) cache.clear();
  const fingerprint = isWhole ? await fingerprintOf(files) : null;
  if (fingerprint === null) cache.delete(key);
  else cache.set(key, { files, fingerprint, takenBack });
  return takenBack;
}

/** A file that changed this recently may have changed since it was read. */
const quietMs = 2_000;

/** How some files are; null where one has just changed. */
async function fingerprintOf(files: readonly string[]): Promise<string | null> {
  const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  if (found.some((stats) => stats !== null && Math.abs(Date.now() - stats.ctimeMs) < quietMs)) return null;
  return found.map((stats) => `${stats?.ino} ${stats?.size} ${stats?.mtimeMs} ${stats?.ctimeMs}`).join("\n");
}
