import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRedactor } from "../redact.ts";
import {
  type BubblewrapCommand,
  bubblewrapCall,
  bubblewrapOptions,
  descriptors,
  generatedInput,
} from "./bubblewrap.ts";
import { defaultLimits } from "./limits.ts";
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
}

const execute = promisify(execFile);

/**
 * What a sandbox promises, each as a shell command that only succeeds where the promise is broken. It only looks: where a
 * promise is broken, what it changed would be this machine's. A program that is called bubblewrap and does something else
 * prints none of the answers.
 */
const breaches: readonly (readonly [promise: string, breach: string])[] = [
  ["a system that is read-only", "test -w / || test -w /usr"],
  ["kernel settings that are read-only", "test -w /proc/sys/kernel/domainname"],
  ["processes of its own", `test "$(ls -d /proc/[0-9]* | wc -l)" -gt 20`],
  ["no network", `test "$(grep -c : /proc/net/dev)" -gt 1`],
  ["no capabilities", `test "$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)" != 0000000000000000`],
];

const answer = "held";
const script = `${breaches
  .map(([, breach], index) => `if (${breach}) 2>/dev/null; then echo broken ${index}; fi`)
  .join("\n")}
sed -n 's/^Seccomp:[[:space:]]*/filter /p' /proc/self/status
echo ${answer} $((6 * 7))`;

/** Tries what it promises, once, on this machine. */
export async function probeBubblewrap(program: string): Promise<Probed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hox-probe-")));
  const version = await bubblewrapVersion(program);
  const filter = seccompFilter();
  const command: BubblewrapCommand = {
    workspace: folder,
    view: folder,
    folder,
    command: script,
    environment: { PATH: "/usr/bin:/bin" },
    guarded: [],
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
  };
  try {
    const { output } = await runProcess({
      program,
      args: bubblewrapCall(command),
      folder,
      environment: {},
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      redactor: createRedactor([]),
      namespace: {
        input: inputOf(command, filter),
        verify: async () => undefined,
        watch: () => () => undefined,
      },
    });
    const problem = problemIn(output, program, filter !== null);
    return { problem, version, hasFilter: filter !== null, hasSizes: knowsSizes(version) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const problem = `${program} does not work here: ${said.split("\n")[0]}`;
    return { problem, version, hasFilter: false, hasSizes: false };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const inputOf = (
  command: BubblewrapCommand,
  filter: Buffer | null,
): Readonly<Record<number, Buffer>> => ({
  [descriptors.arguments]: bubblewrapOptions(command),
  ...generatedInput(command),
  ...(filter === null ? {} : { [descriptors.filter]: filter }),
});

function problemIn(output: string, program: string, isFiltered: boolean): string | null {
  if (!output.includes(`${answer} 42`))
    return `${program} does not run a command: ${output.trim() || "it is silent"}`;
  const broken = [...output.matchAll(/^broken (\d+)$/gmu)].map(([, index]) => breaches[Number(index)]?.[0]);
  if (isFiltered && !/^filter 2$/mu.test(output)) broken.push("a filter of system calls");
  return broken.length === 0 ? null : `${program} does not keep what it promises: ${broken.join(", ")}`;
}

async function bubblewrapVersion(program: string): Promise<string | null> {
  try {
    const { stdout } = await execute(program, ["--version"], { env: {}, timeout: 5000 });
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
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
