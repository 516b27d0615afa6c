import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { onPath } from "../../config/tools.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import type { NamespaceInit } from "../tool-interface.ts";
import { ToolFailure } from "../tool-interface.ts";
import { type Limits, threadsPerProcess } from "./limits.ts";
import { processTree } from "./process-tree.ts";

/** Where version 2 of control groups is mounted; version 1 lets no ordinary user have any. */
const mount = "/sys/fs/cgroup";
/** A manager of services that is busy, on a machine that is. */
const patienceMs = 10_000;
/** Threads of bubblewrap and of the shell before the gate. */
const ofOurs = 16;
/** The user's programs have 100. */
const weight = 50;

/** Creates control groups: through the user's service manager, or the system's as root. */
export interface ControlGroups {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** One command's processes as the kernel counts and ends them together. */
export interface ControlGroup {
  readonly hasWeight: boolean;
  /** Kills all its processes at once. */
  kill(): void;
  /** Whether the kernel has killed a process in it for lack of memory; false once it is gone. */
  isOutOfMemory(): boolean;
}

export class ControlGroupRefused extends ToolFailure {
  readonly reason: string;
  constructor(reason: string) {
    super(
      "failed",
      `The command was not run, because its control group could not be created: ${reason}. Restart Hox to check again what can limit commands here.`,
    );
    this.reason = reason;
  }
}

/** Null without a service manager. Whether a group can be created is known only after trying. */
export async function findControlGroups(): Promise<ControlGroups | null> {
  const groups = groupsHere();
  return groups !== null && (await seesManager(groups)) ? groups : null;
}

function groupsHere(): ControlGroups | null {
  if (process.platform !== "linux" || !existsSync(`${mount}/cgroup.controllers`)) return null;
  const program = onPath(["busctl"]);
  if (program === undefined) return null;
  if (process.getuid?.() === 0)
    return existsSync("/run/systemd/system") ? { program, args: ["--system"], environment: {} } : null;
  const folder = process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.()}`;
  if (!existsSync(join(folder, "systemd"))) return null;
  const { DBUS_SESSION_BUS_ADDRESS: bus = `unix:path=${folder}/bus` } = process.env;
  return {
    program,
    args: ["--user"],
    environment: { XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: bus },
  };
}

/**
 * Whether the manager and we mean the same process by a number. In a container that has the bus from outside, its numbers
 * are other people's processes, and these would be put into the group.
 */
async function seesManager({ program, args, environment }: ControlGroups): Promise<boolean> {
  const call = ["org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"];
  const ask = [...args, `--timeout=${patienceMs / 1000}`, "call", ...call];
  try {
    const { stdout } = await execute(
      program,
      [...ask, "GetConnectionUnixProcessID", "s", "org.freedesktop.systemd1"],
      { env: { ...environment }, timeout: patienceMs },
    );
    return readFileSync(`/proc/${Number(stdout.split(" ")[1])}/comm`, "utf8").trim() === "systemd";
  } catch {
    // No answer, or not from the expected service.
    return false;
  }
}

/** What the group is given: its own name and number of the value's kind, as systemd's bus takes them. */
const groupProperties = ({
  processes,
  wholeMemory,
}: Pick<Limits, "processes" | "wholeMemory">): readonly (readonly [
  name: string,
  kind: string,
  value: string,
])[] => [
  ["MemoryMax", "t", String(wholeMemory)],
  ["MemorySwapMax", "t", "0"],
  ["TasksMax", "t", String(processes * threadsPerProcess + ofOurs)],
  ["CPUWeight", "t", String(weight)],
  ["CollectMode", "s", "inactive-or-failed"],
];

/** Arguments of `busctl` that put processes into a new group. */
export function groupCall(
  { args }: Pick<ControlGroups, "args">,
  name: string,
  processes: readonly number[],
  limits: Pick<Limits, "processes" | "wholeMemory">,
): readonly string[] {
  const properties = groupProperties(limits);
  return [
    ...[...args, "--quiet", `--timeout=${patienceMs / 1000}`, "call", "org.freedesktop.systemd1"],
    ...["/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "StartTransientUnit"],
    ...["ssa(sv)a(sa(sv))", name, "fail", String(properties.length + 1)],
    ...["PIDs", "au", String(processes.length), ...processes.map(String)],
    ...properties.flat(),
    "0",
  ];
}

/**
 * Puts a command that waits at its gate into a separate control group, and checks that the limits are in
 * force.
 *
 * @param outer bubblewrap's own process, outside all namespaces
 * @throws ControlGroupRefused before the command has begun
 */
export async function openControlGroup(
  groups: ControlGroups,
  outer: number,
  init: NamespaceInit,
  limits: Limits,
): Promise<ControlGroup> {
  const name = `hox-command-${randomBytes(8).toString("hex")}.scope`;
  const inside = processTree(init).processes.map(Number);
  const { program, environment } = groups;
  const args = [...groupCall(groups, name, [outer, ...inside], limits)];
  await execute(program, args, { env: { ...environment }, timeout: patienceMs }).catch((error: unknown) => {
    throw new ControlGroupRefused((error as { stderr?: string }).stderr?.trim() || String(error));
  });
  const until = performance.now() + patienceMs;
  for (const pid of [outer, ...inside]) {
    while (!groupOf(pid).endsWith(`/${name}`)) {
      if (performance.now() > until)
        throw new ControlGroupRefused(`process ${pid} did not come into ${name}`);
      await pause(5);
    }
  }
  const folder = join(mount, groupOf(init.pid));
  const missing = missingLimits((file) => textOf(join(folder, file)), limits);
  if (missing.length > 0) throw new ControlGroupRefused(`${missing.join(", ")} is not in force`);
  // All of it or nothing: a command without the process that it waits for would wait until its time is up.
  writeFileSync(join(folder, "memory.oom.group"), "1");
  return {
    hasWeight: Number(textOf(join(folder, "cpu.weight"))) === weight,
    kill: () => {
      try {
        writeFileSync(join(folder, "cgroup.kill"), "1");
      } catch (error) {
        // It ended meanwhile, or this kernel (before 5.14) cannot: its namespace is ended in any case.
        if (!["ENOENT", "ENODEV", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
          throw error;
      }
    },
    isOutOfMemory: () => /^oom_(?:group_)?kill [1-9]/mu.test(textOf(join(folder, "memory.events")) ?? ""),
  };
}

/** Names of limits that the group lacks: a controller that is not delegated has no file. */
export function missingLimits(
  setting: (file: string) => string | null,
  { processes, wholeMemory }: Pick<Limits, "processes" | "wholeMemory">,
): readonly string[] {
  const isAtMost = (file: string, highest: number): boolean => {
    const text = setting(file)?.trim();
    return text !== undefined && text !== "max" && Number(text) <= highest;
  };
  return [
    ...(isAtMost("memory.max", wholeMemory) ? [] : ["the limit on memory"]),
    ...(isAtMost("pids.max", processes * threadsPerProcess + ofOurs) ? [] : ["the limit on processes"]),
  ];
}

const textOf = (path: string): string | null => readBoundedFileOrNull(path, 1_000_000);

/** Below `mount`; empty when the process has ended. */
const groupOf = (pid: number): string => /^0::(.*)$/mu.exec(textOf(`/proc/${pid}/cgroup`) ?? "")?.[1] ?? "";

const execute = promisify(execFile);
