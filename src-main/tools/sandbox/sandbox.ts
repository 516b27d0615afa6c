import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { defaultProtectedFiles } from "#shared/domain/protected-files.ts";
import { findTool, onPath } from "../../config/tools.ts";
import { type Protection, protection } from "../protected-files.ts";
import { createRedactor, type Redactor, secretsOf } from "../redact.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { CommandResult, Isolation, Sandbox, SandboxedCommand } from "../tool-interface.ts";
import { bubblewrapArguments, hold, insideHome } from "./bubblewrap.ts";
import { commandEnvironment } from "./command-environment.ts";
import { guardedPaths, restoreGuarded } from "./guarded-paths.ts";
import { defaultLimits, type Limits, limitedShell } from "./limits.ts";
import { watchMemoryUse } from "./memory-use.ts";
import { watchProcessCount } from "./process-count.ts";
import { type ProcessToRun, runProcess } from "./run-process.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { findToolchains, type Toolchains } from "./toolchains.ts";

export interface SandboxOptions {
  /** The user has said in so many words that commands may run without a sandbox. Means nothing where there is one. */
  readonly allowUnsandboxed: boolean;
  /** Values that must never be shown, beside the keys and tokens of the environment. */
  readonly secrets?: readonly string[];
  readonly protectedFiles?: readonly string[];
  /** Further folders that commands may read. */
  readonly readable?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** Where whole outputs are kept that are too long for the record; default: nowhere. */
  readonly logFolder?: string;
  /** For tests: the sandbox program; null means that there is none. Default: what `findTool` finds. */
  readonly program?: string | null;
}

/** Everything that one way of holding commands in needs to run one. */
interface Prepared {
  readonly workspace: string;
  readonly folder: string;
  readonly command: SandboxedCommand;
  readonly guard: Protection;
  readonly toolchains: Toolchains;
  readonly limits: Limits;
  readonly redactor: Redactor;
  readonly logFolder: string | undefined;
  readonly version: string | null;
}

/** Finds out what this machine can do, tries it once, and says so in `isolation`. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const tool = findTool("sandbox");
  const program = options.program !== undefined ? options.program : tool.found ? tool.path : null;
  const isolation = await isolationOf(program, options.allowUnsandboxed);
  const redactor = createRedactor([...secretsOf(process.env), ...(options.secrets ?? [])]);
  const toolchains = findToolchains(options.readable);
  const limits = { ...defaultLimits, ...options.limits };

  return {
    isolation,
    async run(command) {
      if (!isolation.allowed) {
        const remedy = tool.found ? "" : ` ${tool.remedy}`;
        throw new ToolFailure("sandbox-missing", `Commands are not run: ${isolation.description}${remedy}`);
      }
      const workspace = await realpath(command.workspace);
      const folder = await folderIn(workspace, command.folder ?? ".");
      const guard = protection(command.protectedFiles ?? options.protectedFiles ?? defaultProtectedFiles);
      const prepared = {
        workspace,
        folder,
        command,
        guard,
        toolchains,
        limits,
        redactor,
        logFolder: options.logFolder,
        version: isolation.version,
      };
      if (isolation.kind === "bubblewrap" && program) return runInBubblewrap(program, prepared);
      if (isolation.kind === "seatbelt" && program) return runInSeatbelt(program, prepared);
      return runInNothing(prepared);
    },
  };
}

/**
 * Programs that work, with their version: every check and command asks anew, and nothing is lost should one stop
 * working, because then it refuses its commands itself. What does not work is tried each time: a person may mend it.
 */
const proven = new Map<string, { readonly version: string | null }>();

async function isolationOf(program: string | null, allowUnsandboxed: boolean): Promise<Isolation> {
  const problem =
    program === null ? "no sandbox program was found" : proven.has(program) ? null : await tryOut(program);
  if (program !== null && problem === null) {
    const found = proven.get(program) ?? { version: await versionOf(program) };
    proven.set(program, found);
    const kind = process.platform === "darwin" ? "seatbelt" : "bubblewrap";
    const description =
      "Commands see their own workspace and the system's programs; no network, no home folder; .jj, .git and " +
      "protected files are read-only.";
    return { kind, version: found.version, description, allowed: true };
  }
  const description = allowUnsandboxed
    ? `Commands run WITHOUT a sandbox, with your own rights, because you allowed it (${problem}).`
    : `There is no sandbox on this machine (${problem}).`;
  return { kind: "none", version: null, description, allowed: allowUnsandboxed };
}

const execute = promisify(execFile);

/** Null when it works. A program may be there and the kernel may still forbid it. */
async function tryOut(program: string): Promise<string | null> {
  const args =
    process.platform === "darwin"
      ? ["-p", "(version 1)(allow default)", "/usr/bin/true"]
      : [...hold, "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"];
  try {
    await execute(program, args, { env: { PATH: "/usr/bin:/bin" }, timeout: 5000 });
    return null;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split("\n")[0];
    return `${program} does not work here: ${said || (error instanceof Error ? error.message : String(error))}`;
  }
}

async function versionOf(program: string): Promise<string | null> {
  if (process.platform === "darwin") return null;
  const { stdout } = await execute(program, ["--version"], { env: {}, timeout: 5000 });
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
}

/** Whether this bubblewrap knows `--size`. */
function knowsSizes(version: string | null): boolean {
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  return major > 0 || minor >= 7;
}

/** A folder of the workspace, links resolved. */
async function folderIn(workspace: string, folder: string): Promise<string> {
  const real = await realpath(resolve(workspace, folder)).catch(() => {
    throw new ToolFailure("not-found", `The folder ${folder} does not exist.`);
  });
  const inside = relative(workspace, real);
  if (inside.startsWith("..") || resolve(workspace, inside) !== real) {
    throw new ToolFailure("outside-workspace", `${folder} is outside the workspace.`);
  }
  return real;
}

const processOf = (
  prepared: Prepared,
): Omit<ProcessToRun, "program" | "args" | "folder" | "environment"> => ({
  timeoutMs: prepared.command.timeoutMs,
  signal: prepared.command.signal,
  redactor: prepared.redactor,
  onOutput: prepared.command.onOutput,
  logFolder: prepared.logFolder,
});

async function runInBubblewrap(program: string, prepared: Prepared): Promise<CommandResult> {
  const { workspace, guard, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(workspace, guard);
  const environment = commandEnvironment(toolchains, insideHome, prepared.command.environment);
  const { command } = prepared.command;
  const prlimit = onPath(["prlimit"], "/usr/bin:/bin") ?? null;
  const result = await runProcess({
    ...processOf(prepared),
    program,
    args: bubblewrapArguments({
      workspace,
      folder,
      command,
      environment,
      guarded,
      toolchains,
      limits,
      prlimit,
      sizes: knowsSizes(prepared.version),
    }),
    folder: workspace,
    environment: {},
    watch: (pid, kill) => {
      const ends = [
        watchProcessCount(limits.processes, kill, pid),
        watchMemoryUse(limits.wholeMemory, kill, pid),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  });
  return { ...result, restored: await restoreGuarded(workspace, guard, guarded) };
}

async function runInSeatbelt(program: string, prepared: Prepared): Promise<CommandResult> {
  const { workspace, guard, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(workspace, guard);
  const temporary = await realpath(await mkdtemp(join(tmpdir(), "hox-command-")));
  const environment = {
    ...commandEnvironment(toolchains, temporary, prepared.command.environment),
    TMPDIR: temporary,
  };
  try {
    const profile = seatbeltProfile({ workspace, temporary, guarded, toolchains });
    const result = await runProcess({
      ...processOf(prepared),
      program,
      args: ["-p", profile, ...limitedShell(prepared.command.command, limits, null)],
      folder,
      environment,
    });
    return { ...result, restored: await restoreGuarded(workspace, guard, guarded) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Only after the user's word. The environment is still ours to choose, and planted files are still removed. */
async function runInNothing(prepared: Prepared): Promise<CommandResult> {
  const { workspace, guard, toolchains, limits, folder, command } = prepared;
  const guarded = await guardedPaths(workspace, guard);
  const [program, ...args] = limitedShell(command.command, limits, null);
  const result = await runProcess({
    ...processOf(prepared),
    program: program ?? "/bin/sh",
    args,
    folder,
    environment: { ...commandEnvironment(toolchains, tmpdir(), command.environment), TMPDIR: tmpdir() },
  });
  return { ...result, restored: await restoreGuarded(workspace, guard, guarded) };
}
