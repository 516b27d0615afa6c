import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { trimEndOf } from "#shared/domain/text/format-text.ts";
import { refusedNamespaces } from "../../config/refused-namespaces.ts";
import { createRedactor } from "../redact.ts";
import {
  type BubblewrapCommand,
  bubblewrapCall,
  bubblewrapOptions,
  descriptors,
  generatedInput,
} from "./bubblewrap.ts";
import {
  ControlGroupRefused,
  type ControlGroups,
  findControlGroups,
  openControlGroup,
} from "./control-group.ts";
import { defaultLimits, type UserLimit, userLimits } from "./limits.ts";
import { runProcess } from "./run-process.ts";
import { seccompFilter } from "./seccomp.ts";
import { noToolchains } from "./toolchains.ts";

export interface Probed {
  /** Why commands cannot be held in by it here, or null. */
  readonly problem: string | null;
  readonly version: string | null;
  /** Whether system calls are filtered. */
  readonly hasFilter: boolean;
  /** Whether it can bound a file system in memory. */
  readonly hasSizes: boolean;
  /** What its user namespace can be given less of. */
  readonly userLimits: readonly UserLimit[];
  /** Creates control groups for commands; null if unavailable. */
  readonly controlGroups: ControlGroups | null;
  /** Why there are none although a service manager exists, or null. */
  readonly groupProblem: string | null;
  /** Whether control groups also set a command's share of the processor. */
  readonly hasWeight: boolean;
}

/** The description of a program that confines nothing, with the reason. */
export const holdsNothing = (problem: string | null, version: string | null = null): Probed => ({
  ...{ problem, version, hasFilter: false, hasSizes: false, userLimits: [] },
  ...{ controlGroups: null, groupProblem: null, hasWeight: false },
});

const execute = promisify(execFile);

/**
 * What a sandbox promises, each as a shell command that only succeeds where the promise is broken. It only looks: where a
 * promise is broken, what it changed would be this machine's. A program that is called bubblewrap and does something else
 * prints none of the answers.
 */
const breaches: readonly (readonly [promise: string, breach: string])[] = [
  ["a system that is read-only", "test -w / || test -w /usr"],
  ["kernel settings that are read-only", "test -w /proc/sys/kernel/domainname"],
  ["its own process namespace", `test "$(ls -d /proc/[0-9]* | wc -l)" -gt 20`],
  ["no network", `test "$(grep -c : /proc/net/dev)" -gt 1`],
  ["no capabilities", `test "$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)" != 0000000000000000`],
];

const answer = "held";
const script = `${breaches
  .map(([, breach], index) => `if (${breach}) 2>/dev/null; then echo broken ${index}; fi`)
  .join("\n")}
sed -n 's/^Seccomp:[[:space:]]*/filter /p' /proc/self/status
echo ${answer} $((6 * 7))`;

/** Tries what it promises, once, on this machine: first what every system gives, then what only some do. */
export async function probeBubblewrap(program: string): Promise<Probed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hox-probe-")));
  const version = await bubblewrapVersion(program);
  const filter = seccompFilter();
  const base: BubblewrapCommand = {
    workspace: folder,
    view: folder,
    folder,
    command: script,
    environment: { PATH: "/usr/bin:/bin" },
    guarded: [],
    hidden: [],
    toolchains: noToolchains,
    limits: defaultLimits,
    mounts: [],
    home: null,
    files: [],
    layers: [],
    prefix: [],
    prlimit: null,
    sizes: knowsSizes(version),
    hasFilter: filter !== null,
    outlivesHost: false,
    userLimits: userLimits(),
  };
  try {
    const bounded = await attempt(program, base, null);
    const command = bounded.problem === null ? base : { ...base, userLimits: [] };
    const { problem } = bounded.problem === null ? bounded : await attempt(program, command, null);
    if (problem !== null) {
      const refused = refusedNamespaces();
      if (refused === null) return holdsNothing(problem, version);
      const why = `User namespaces are not allowed: ${refused.setting}. ${refused.remedy}`;
      return holdsNothing(`${withoutDot(problem)}. ${withoutDot(why)}`, version);
    }
    const groups = await findControlGroups();
    const grouped = groups === null ? null : await attempt(program, command, groups);
    return {
      ...{ problem, version, hasFilter: filter !== null, hasSizes: knowsSizes(version) },
      userLimits: command.userLimits,
      controlGroups: grouped?.problem === null ? groups : null,
      groupProblem: grouped?.problem ?? null,
      hasWeight: grouped?.hasWeight ?? false,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const withoutDot = (text: string): string => trimEndOf(text, ".");

async function attempt(
  program: string,
  command: BubblewrapCommand,
  groups: ControlGroups | null,
): Promise<{ readonly problem: string | null; readonly hasWeight: boolean }> {
  const filter = seccompFilter();
  let hasWeight = false;
  try {
    const { output } = await runProcess({
      program,
      args: bubblewrapCall(command),
      folder: command.workspace,
      environment: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      redactor: createRedactor([]),
      namespace: {
        input: inputOf(command, filter),
        verify: async (init, outer) => {
          if (groups) ({ hasWeight } = await openControlGroup(groups, outer, init, command.limits));
        },
        watch: () => () => undefined,
      },
    });
    return { problem: problemIn(output, program, filter !== null), hasWeight };
  } catch (error) {
    if (error instanceof ControlGroupRefused) return { problem: error.reason, hasWeight: false };
    const message = error instanceof Error ? error.message : String(error);
    return { problem: `${program} does not work here: ${message.split("\n")[0]}`, hasWeight: false };
  }
}

export const inputOf = (
  command: BubblewrapCommand,
  filter: Buffer | null,
): Readonly<Record<number, Buffer>> => ({
  [descriptors.arguments]: bubblewrapOptions(command),
  ...generatedInput(command),
  ...(filter === null ? {} : { [descriptors.filter]: filter }),
  ...Object.fromEntries(
    command.userLimits.map(({ value }, index) => [descriptors.userLimits + index, Buffer.from(`${value}\n`)]),
  ),
});

function problemIn(output: string, program: string, isFiltered: boolean): string | null {
  if (!output.includes(`${answer} 42`))
    return `${program} does not run a command: ${output.trim() || "no output"}`;
  const broken = [...output.matchAll(/^broken (\d+)$/gmu)].map(([, index]) => breaches[Number(index)]?.[0]);
  if (isFiltered && !/^filter 2$/mu.test(output)) broken.push("a filter of system calls");
  return broken.length === 0 ? null : `${program} does not provide: ${broken.join(", ")}`;
}

async function bubblewrapVersion(program: string): Promise<string | null> {
  try {
    const { stdout } = await execute(program, ["--version"], { env: {}, timeout: 5000 });
    return /(?<!\d)\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
  } catch {
    // What does not work says so when it is tried.
    return null;
  }
}

/** Whether this bubblewrap knows `--size`. */
function knowsSizes(version: string | null): boolean {
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  return major > 0 || minor >= 7;
}
