import { existsSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { childEnvironment } from "../../config/child-environment.ts";
import { searchFolders } from "../../config/program-folders.mjs";
import { cacheFolder } from "../../config/state-folder.ts";
import { findTool, isProgram, ToolMissing, toolGone } from "../../config/tools.ts";
import { log } from "../../log/log.ts";
import { whileQuiet } from "../../processes/quiet-folder.ts";
import { type ProgramResult, runProgram } from "../../processes/run-program.ts";
import { folderGone, JjError, jjFailure, jjMissing } from "./errors.ts";
import { remoteEnvironment } from "./git-process.ts";
import { gitFolderOf, missingFolder } from "./op-heads.ts";
import { pinnedSettings } from "./pinned-settings.ts";
import { defaultSlowAfterMs, timeCommand } from "./slow-commands.ts";

export interface JjCall {
  /** The command and its arguments; a folder is named with `-R` by the caller. */
  readonly args: readonly string[];
  /** Arguments that go before everything else, so that they head the line in the operation log. */
  readonly head?: readonly string[];
  readonly cwd: string;
  readonly input?: string;
  /** Default 120 s; a command that waits longer waits for a lock that will not come. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
  /** Program and arguments that jj starts as its editor; without it every editor fails. */
  readonly editor?: readonly string[];
  /** It connects to a remote as the user: only then may it see their SSH agent, proxy and signing program. */
  readonly isPush?: boolean | undefined;
  /** Without the name that was found elsewhere: what jj itself is configured with. */
  readonly isAnonymous?: boolean;
}

export interface JjOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts jj. There is one of these per repository, and nothing else in Hox starts jj. */
export type Jj = ReturnType<typeof createJj>;

/** Who commits. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

const defaultTimeout = 120_000;

/**
 * Creates a function that starts jj processes.
 * @param timeoutMs default time limit of a command
 * @param slowAfterMs after this time the user is notified of a running one
 * @throws JjError `jj-missing`
 */
export function createJj({
  timeoutMs = defaultTimeout,
  slowAfterMs = defaultSlowAfterMs,
}: {
  readonly timeoutMs?: number;
  readonly slowAfterMs?: number;
} = {}) {
  const tool = findTool("jj");
  if (!tool.found) throw jjMissing(new ToolMissing("jj", tool.remedy, "jj was not found."));
  const program = tool.path;
  const folder = cacheFolder();
  const settings = { local: pinnedSettings("local", folder), remote: pinnedSettings("remote", folder) };
  const started = new Map<string, number>();
  let identity: Partial<Identity> = {};

  /** Runs one to its end. `onOutput` gets what it prints as it comes; false: enough was heard. */
  async function start(call: JjCall, onOutput: (bytes: Uint8Array) => boolean): Promise<string> {
    const args = argumentsOf(call, settings[purposeOf(call)]);
    const command = typedCommandOf(call.args);
    started.set(command, (started.get(command) ?? 0) + 1);
    const { cwd, input, signal, timeout: limitMs = timeoutMs } = call;
    const ended = timeCommand({ command: `jj ${command}`, folder: cwd, limitMs }, slowAfterMs);
    const begun = performance.now();
    let isEnough = false;
    try {
      // Only a push waits here: whatever else is written has been started when this returns, also if the host is killed then.
      const environment = call.isPush
        ? await remoteEnvironmentOf(call, identity)
        : ownEnvironment(call, identity);
      const run = (): Promise<ProgramResult> =>
        runProgram(
          {
            program,
            args,
            cwd,
            env: { ...childEnvironment(purposeOf(call)), ...environment },
            input,
            timeoutMs: limitMs,
            signal,
          },
          (bytes) => {
            if (!isEnough) isEnough = !onOutput(bytes);
            return !isEnough;
          },
        );
      // jj goes through a working copy by its paths.
      const result = await (leavesFiles(call) ? run() : whileQuiet(cwd, run));
      if (!isEnough && result.exitCode !== 0) throw processFailure({ program, args, cwd, limitMs }, result);
      log.debug("jj", { command, ms: Math.round(performance.now() - begun) });
      return result.stderr;
    } catch (error) {
      const isAborted = error instanceof JjError && error.kind === "aborted";
      log[isAborted ? "debug" : "warn"]("jj failed", {
        command,
        ms: Math.round(performance.now() - begun),
        error,
      });
      throw error;
    } finally {
      ended();
    }
  }

  async function collect(call: JjCall): Promise<{ readonly stdout: Buffer; readonly stderr: string }> {
    const chunks: Uint8Array[] = [];
    const stderr = await start(call, (bytes) => chunks.push(bytes) > 0);
    return { stdout: Buffer.concat(chunks), stderr };
  }

  return {
    async run(call: JjCall): Promise<JjOutput> {
      const { stdout, stderr } = await collect(call);
      return { stdout: stdout.toString("utf8"), stderr };
    },
    bytes: async (call: JjCall): Promise<Uint8Array> => (await collect(call)).stdout,
    /** Calls back with every line of output as it comes, without its newline. `false` ends the process early. */
    async lines(call: JjCall, onLine: (line: string) => boolean | undefined): Promise<void> {
      const splitter = createLineSplitter(onLine);
      await start(call, (bytes) => splitter.write(bytes));
      splitter.end();
    },
    /** Processes started so far, by command (`log`, `workspace add`). */
    counts: (): ReadonlyMap<string, number> => started,
    /** Commits get these from now on, where jj itself is configured with none. */
    setIdentity(found: Partial<Identity>): void {
      identity = found;
    },
  };
}

const leavesFiles = ({ args }: JjCall): boolean =>
  args.includes("--ignore-working-copy") || args.includes("--version");

/** The command among arguments: `describe` of `-R <folder> --config <setting> describe --stdin`. */
export function commandOf(args: readonly string[]): string {
  const valued = ["-R", "--config", "--config-file"];
  return args.find((word, place) => !word.startsWith("-") && !valued.includes(args[place - 1] ?? "")) ?? "";
}

const groups = ["bookmark", "config", "file", "git", "op", "operation", "tag", "util", "workspace"];

/** The same with its second word, where it has one: `workspace add`. */
function typedCommandOf(args: readonly string[]): string {
  const command = commandOf(args);
  const next = args[args.indexOf(command) + 1] ?? "";
  return groups.includes(command) && /^[a-z-]+$/u.test(next) && !next.startsWith("-")
    ? `${command} ${next}`
    : command;
}

/** A process of jj as it was started. */
interface StartedJj {
  readonly program: string;
  /** All its arguments, Hox's own among them. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** The time limit after which it is terminated. */
  readonly limitMs: number;
}

/** The error for a process of jj that did not end well: it was ended, could not be started, or says itself what failed. */
function processFailure({ program, args, cwd, limitMs }: StartedJj, result: ProgramResult): JjError {
  const { stderr, error } = result;
  if (result.isCancelled)
    return new JjError({ kind: "aborted", message: "The jj command was cancelled.", args, stderr });
  if (result.isTimedOut)
    return new JjError({
      kind: "timeout",
      message: `jj ${commandOf(args)} did not finish within ${limitMs / 1_000} s and was stopped.`,
      args,
      stderr,
    });
  // The system says the same of a program and of the folder to start it in.
  const missing = missingFolder(cwd);
  if (missing !== null) return folderGone(missing, { args, stderr, cause: error });
  if (error?.code === "ENOENT") return jjMissing(isProgram(program) ? error : toolGone("jj", program));
  if (error) {
    const isFull = error.code === "ENOSPC" || error.code === "EDQUOT";
    const message = isFull ? error.message : `jj could not be started: ${error.message}`;
    return new JjError({ kind: isFull ? "disk" : "failed", message, args, stderr });
  }
  if (result.exitCode === null)
    return new JjError({
      kind: "killed",
      message: `jj ${commandOf(args)} was killed by ${result.signal ?? "a signal"} before it finished.`,
      args,
      stderr,
    });
  // A script that was deleted between its start and its first line: the shell reports it differently.
  if (!isProgram(program)) return jjMissing(toolGone("jj", program));
  return jjFailure(args, result.exitCode, stderr);
}

/**
 * Splits one output into lines.
 * @param onLine returns `false` to receive no more
 */
export function createLineSplitter(onLine: (line: string) => boolean | undefined) {
  const decoder = new StringDecoder("utf8");
  // Pieces of an incomplete line, joined once: otherwise one endless line would be searched again with every
  // chunk.
  let pieces: string[] = [];
  let isEnough = false;
  return {
    /** @returns false when enough was heard */
    write(bytes: Uint8Array): boolean {
      const text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      let from = 0;
      for (let to = text.indexOf("\n"); to >= 0 && !isEnough; to = text.indexOf("\n", from)) {
        isEnough = onLine(pieces.join("") + text.slice(from, to)) === false;
        pieces = [];
        from = to + 1;
      }
      pieces.push(text.slice(from));
      return !isEnough;
    },
    /** What came after the last newline is a line too. */
    end(): void {
      const last = pieces.join("") + decoder.end();
      if (!isEnough && last !== "") onLine(last);
    },
  };
}

const purposeOf = ({ isPush }: JjCall): "local" | "remote" => (isPush ? "remote" : "local");

const argumentsOf = (call: JjCall, settings: string): readonly string[] => [
  ...(call.head ?? []),
  ...["--config-file", settings, "--color=never", "--no-pager"],
  ...(call.editor ? ["--config", `ui.editor=${JSON.stringify(call.editor)}`] : []),
  ...call.args,
];

/** What jj gets for a push: Git with the user's own settings only. */
async function remoteEnvironmentOf(
  call: JjCall,
  identity: Partial<Identity>,
): Promise<Readonly<Record<string, string>>> {
  const own = ownEnvironment(call, identity);
  const all = { ...childEnvironment("remote"), ...own };
  return { ...own, ...(await remoteEnvironment(await gitFolderOf(call.cwd), all)) };
}

/** Where the system keeps its time zone, as a file without a name. */
const localTime = "/etc/localtime";
/** Without it jj looks through all time zones for the name of this one, which takes a tenth of its time. */
const timeZone: Readonly<Record<string, string>> =
  process.env.TZ === undefined && existsSync(localTime) ? { TZ: `:${localTime}` } : {};

/** jj's environment in addition to every program's. */
const ownEnvironment = (
  call: JjCall,
  { name, email }: Partial<Identity>,
): Readonly<Record<string, string>> => ({
  ...(call.isAnonymous || name === undefined ? {} : { JJ_USER: name }),
  ...(call.isAnonymous || email === undefined ? {} : { JJ_EMAIL: email }),
  GIT_TERMINAL_PROMPT: "0",
  // Nothing that we read depends on a width; without one jj starts `tput` twice to find it, a fifth of its time.
  COLUMNS: "80",
  ...timeZone,
  // No program of this name exists: whatever wants an editor fails at once instead of waiting.
  ...(call.editor ? {} : { JJ_EDITOR: "hox-opens-no-editor" }),
  // What jj starts in turn (git, a signing program, a password helper) is found where jj itself was.
  PATH: searchFolders().filter(isAbsolute).join(delimiter),
});
