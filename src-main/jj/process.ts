import { delimiter, isAbsolute } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { trackedFileset } from "#shared/domain/files/tool-caches.ts";
import { cacheFolder } from "../config/cache-folder.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { searchFolders } from "../config/program-folders.mjs";
import { findTool, ToolMissing } from "../config/tools.ts";
import { type ProgramResult, runProgram } from "../processes/run-program.ts";
import { folderGone, JjError, jjFailure, jjMissing } from "./errors.ts";
import { missingFolder } from "./op-heads.ts";
import { pinnedSettings } from "./pinned-settings.ts";
import { timeCommand, usualSlowAfterMs } from "./slow-commands.ts";

/** In folders that belong to agents nothing that they made may be left out by a person's own preference. */
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
  /** It speaks with a remote in the person's name: only then may it see their SSH agent, proxy and signing program. */
  readonly isPush?: boolean | undefined;
  /** Without the name that was found elsewhere: what jj itself is configured with. */
  readonly isAnonymous?: boolean;
}

export interface JjOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts jj. There is one of these per repository, and nothing else in Hox starts jj. */
export interface Jj {
  run(call: JjCall): Promise<JjOutput>;
  bytes(call: JjCall): Promise<Uint8Array>;
  /** Calls back with every line of output as it comes, without its newline. `false` ends the process early. */
  lines(call: JjCall, onLine: (line: string) => boolean | undefined): Promise<void>;
  /** Processes started so far, by the command as it is typed (`log`, `workspace add`). */
  counts(): ReadonlyMap<string, number>;
  /** Commits get these from now on, where jj itself is configured with none. */
  setIdentity(found: Partial<Identity>): void;
}

/** Who commits. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

const defaultTimeout = 120_000;

/** The command among arguments: `describe` of `-R <folder> --config <setting> describe --stdin`. */
export function commandOf(args: readonly string[]): string {
  const valued = ["-R", "--config", "--config-file"];
  return args.find((word, place) => !word.startsWith("-") && !valued.includes(args[place - 1] ?? "")) ?? "";
}

const groups = ["bookmark", "config", "file", "git", "op", "operation", "tag", "util", "workspace"];

/** The same with its second word, where it has one: `workspace add`. */
function typedCommand(args: readonly string[]): string {
  const command = commandOf(args);
  const next = args[args.indexOf(command) + 1] ?? "";
  return groups.includes(command) && /^[a-z-]+$/u.test(next) && !next.startsWith("-")
    ? `${command} ${next}`
    : command;
}

/**
 * Makes a starter of jj processes.
 * @param timeoutMs for how long a command may take that says nothing else
 * @param slowAfterMs from when on a person is told that one is running
 * @throws JjError `jj-missing`
 */
export function createJj({
  timeoutMs = defaultTimeout,
  slowAfterMs = usualSlowAfterMs,
}: {
  readonly timeoutMs?: number;
  readonly slowAfterMs?: number;
} = {}): Jj {
  const tool = findTool("jj");
  if (!tool.found) throw jjMissing(new ToolMissing("jj", tool.remedy));
  const program = tool.path;
  const folder = cacheFolder();
  const settings = { local: pinnedSettings("local", folder), remote: pinnedSettings("remote", folder) };
  const started = new Map<string, number>();
  let identity: Partial<Identity> = {};

  /** Runs one to its end. `onOutput` gets what it prints as it comes; false: enough was heard. */
  async function start(call: JjCall, onOutput: (bytes: Uint8Array) => boolean): Promise<string> {
    const purpose = call.isPush ? "remote" : "local";
    const editor = call.editor ? ["--config", `ui.editor=${JSON.stringify(call.editor)}`] : [];
    const args = [
      ...(call.head ?? []),
      "--config-file",
      settings[purpose],
      "--color=never",
      "--no-pager",
      ...editor,
      ...call.args,
    ];
    const command = typedCommand(call.args);
    started.set(command, (started.get(command) ?? 0) + 1);
    const limitMs = call.timeout ?? timeoutMs;
    const ended = timeCommand({ command: `jj ${command}`, folder: call.cwd, limitMs }, slowAfterMs);
    let isEnough = false;
    try {
      const result = await runProgram(
        {
          program,
          args,
          cwd: call.cwd,
          env: {
            ...childEnvironment(purpose),
            ...(call.isAnonymous ? {} : environmentOf(identity)),
            GIT_TERMINAL_PROMPT: "0",
            // Nothing that we read depends on a width; without one jj starts `tput` twice to find it, a fifth of its time.
            COLUMNS: "80",
            // No program of this name exists: whatever wants an editor fails at once instead of waiting.
            ...(call.editor ? {} : { JJ_EDITOR: "hox-opens-no-editor" }),
            // What jj starts in turn (git, a signing program, a password helper) is found where jj itself was.
            PATH: searchFolders().filter(isAbsolute).join(delimiter),
          },
          input: call.input,
          timeoutMs: limitMs,
          signal: call.signal,
        },
        (bytes) => {
          if (!isEnough) isEnough = !onOutput(bytes);
          return !isEnough;
        },
      );
      if (!isEnough && result.exitCode !== 0) throw failure(call, args, result);
      return result.stderr;
    } finally {
      ended();
    }
  }

  function failure(call: JjCall, args: readonly string[], result: ProgramResult): JjError {
    const { stderr, error } = result;
    if (result.isCancelled)
      return new JjError({ kind: "aborted", message: "The jj command was cancelled.", args, stderr });
    if (result.isTimedOut) return new JjError({ kind: "timeout", message: slow(call), args, stderr });
    // The system says the same of a program and of the folder to start it in.
    const missing = missingFolder(call.cwd);
    if (missing !== null) return folderGone(missing, { args, stderr, cause: error });
    if (error?.code === "ENOENT") return jjMissing(error);
    if (error?.code === "ENOSPC" || error?.code === "EDQUOT")
      return new JjError({ kind: "disk", message: error.message, args, stderr });
    if (error)
      return new JjError({
        kind: "failed",
        message: `jj could not be started: ${error.message}`,
        args,
        stderr,
      });
    if (result.exitCode === null)
      return new JjError({
        kind: "killed",
        message: `jj ${commandOf(call.args)} was ended by ${result.signal ?? "a signal"} before it was through.`,
        args,
        stderr,
      });
    return jjFailure(args, result.exitCode, stderr);
  }

  const slow = (call: JjCall): string =>
    `jj ${commandOf(call.args)} did not end within ${(call.timeout ?? timeoutMs) / 1_000} s and was ended.`;

  return {
    async run(call) {
      const stdout: Uint8Array[] = [];
      const stderr = await start(call, (bytes) => stdout.push(bytes) > 0);
      return { stdout: Buffer.concat(stdout).toString("utf8"), stderr };
    },
    async bytes(call) {
      const stdout: Uint8Array[] = [];
      await start(call, (bytes) => stdout.push(bytes) > 0);
      return Buffer.concat(stdout);
    },
    async lines(call, onLine) {
      const decoder = new StringDecoder("utf8");
      // Pieces of a line that has not ended: joined once, or a file of one endless line would be searched anew with
      // every chunk.
      let pieces: string[] = [];
      let isEnough = false;
      await start(call, (bytes) => {
        const text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        let from = 0;
        for (let to = text.indexOf("\n"); to >= 0 && !isEnough; to = text.indexOf("\n", from)) {
          isEnough = onLine(pieces.join("") + text.slice(from, to)) === false;
          pieces = [];
          from = to + 1;
        }
        pieces.push(text.slice(from));
        return !isEnough;
      });
      const last = pieces.join("") + decoder.end();
      if (!isEnough && last !== "") onLine(last);
    },
    counts: () => started,
    setIdentity(found) {
      identity = found;
    },
  };
}

const environmentOf = ({ name, email }: Partial<Identity>): Readonly<Record<string, string>> => ({
  ...(name === undefined ? {} : { JJ_USER: name }),
  ...(email === undefined ? {} : { JJ_EMAIL: email }),
});

const checked = new Map<string, Promise<void>>();

/** Refuses a jj older than 0.44; asked once per program. @throws JjError `too-old` */
export function requireVersion(jj: Jj, cwd: string): Promise<void> {
  const tool = findTool("jj");
  const program = tool.found ? tool.path : "";
  let answer = checked.get(program);
  if (!answer) {
    answer = jj.run({ args: ["--version"], cwd }).then(({ stdout }) => {
      const match = /(\d+)\.(\d+)/.exec(stdout);
      if (match && (Number(match[1]) > 0 || Number(match[2]) >= 44)) return;
      throw new JjError({
        kind: "too-old",
        message: `${stdout.trim()} is too old: Hox needs jj 0.44 or later.`,
      });
    });
    answer.catch(() => checked.delete(program));
    checked.set(program, answer);
  }
  return answer;
}
