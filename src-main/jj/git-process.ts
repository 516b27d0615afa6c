import { childEnvironment } from "../config/child-environment.ts";
import { findTool } from "../config/tools.ts";
import { runProgram } from "../processes/run-program.ts";

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input?: string;
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

/**
 * Programs that a repository may name in its own settings. Filters cannot be switched off as a whole: whoever calls
 * git uses commands that compare no files.
 */
const startsNothing = [
  "--no-pager",
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "core.sshCommand=false"],
  ...["-c", "credential.helper="],
  ...["-c", "protocol.allow=never"],
  ...["-c", "submodule.recurse=false"],
];

const withoutLastEnd = (text: string): string => text.replace(/\r?\n$/u, "");

/**
 * Looks with git, and starts nothing that the folder names: no hook, monitor, pager, remote helper or fetch of what a
 * partial clone lacks. Only for commands that read no file of the working copy.
 * @returns what git said, whatever it was; without git its absence
 */
export async function runGit(call: GitCall): Promise<GitOutput> {
  const output: Uint8Array[] = [];
  const ended = await runGitBytes(call, (bytes) => void output.push(bytes));
  return { ...ended, stdout: withoutLastEnd(Buffer.concat(output).toString("utf8")) };
}

/** The same for what is no text, or too long to be held: the bytes come as git writes them. */
export async function runGitBytes(
  { args, cwd, input, timeoutMs = patienceMs }: GitCall,
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
        GIT_TERMINAL_PROMPT: "0",
        GIT_OPTIONAL_LOCKS: "0",
        GIT_NO_LAZY_FETCH: "1",
        GIT_ALLOW_PROTOCOL: "",
      },
    },
    onOutput,
  );
  return { exitCode: exitCode ?? undefined, stderr: withoutLastEnd(stderr) };
}

/**
 * The same for commands that write branches, the index and files. Filters that a person has configured for themselves
 * run, as they do for them in a terminal; those that only this repository's own settings name do not, and neither do
 * hooks.
 */
export async function runGitOnFiles(call: GitCall): Promise<GitOutput> {
  const args = [...(await withoutOwnFilters(call.cwd)), ...call.args];
  return runGit({ ...call, args });
}

/** What `git lfs install --local` writes: a program that a person has installed, and nothing of the repository's own. */
const ofGitLfs =
  /^filter\.lfs\.(?:required\n(?:true|false)|(?:clean|smudge|process)\ngit-lfs (?:clean|smudge|filter-process)(?: --skip)?(?: -- %f)?)$/u;
/** Programs that git-lfs starts in turn. */
const startedByGitLfs =
  "^(filter\\.|lfs\\.extension\\.|lfs\\.customtransfer\\.|lfs\\.standalonetransferagent)";

/** Options that give each filter back what a person has configured beyond the repository, or nothing. */
async function withoutOwnFilters(cwd: string): Promise<readonly string[]> {
  const { exitCode, stdout } = await runGit({
    args: ["config", "--null", "--show-scope", "--get-regexp", startedByGitLfs],
    cwd,
  });
  if (exitCode !== 0) return [];
  const cells = stdout.split("\0");
  const ofPerson = new Map<string, string>();
  const ofRepository = new Set<string>();
  for (let at = 0; at + 1 < cells.length; at += 2) {
    const entry = cells[at + 1] ?? "";
    const [key = "", ...value] = entry.split("\n");
    if (!["local", "worktree"].includes(cells[at] ?? "")) ofPerson.set(key, value.join("\n"));
    else if (!ofGitLfs.test(entry)) ofRepository.add(key);
  }
  return [...ofRepository].flatMap((key) => [
    "-c",
    `${key}=${ofPerson.get(key) ?? (key.endsWith(".required") ? "false" : "")}`,
  ]);
}
