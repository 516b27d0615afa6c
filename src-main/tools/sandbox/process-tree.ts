import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Occupant } from "../../processes/quiet-folder.ts";
import { type NamespaceInit, ToolFailure } from "../tool-interface.ts";

/** Ids of the processes in a namespace, and how many threads they have in all. */
export interface ProcessTree {
  readonly processes: readonly string[];
  readonly threads: number;
}

/**
 * All processes in a namespace descend from its first one, orphans too: so the tree below it is enough,
 * whatever else runs on the machine. If the kernel does not list children, all processes are read.
 */
export function processTree({ pid }: NamespaceInit): ProcessTree {
  const processes: string[] = [];
  let threads = 0;
  const waiting = [String(pid)];
  for (let process = waiting.pop(); process !== undefined; process = waiting.pop()) {
    const tasks = tasksOf(process);
    if (tasks.length === 0) continue;
    processes.push(process);
    threads += tasks.length;
    for (const task of tasks) {
      const children = childrenOf(process, task);
      if (children === null) return allInNamespace(pid);
      waiting.push(...children);
    }
  }
  return { processes, threads };
}

export const namespaceInit = (pid: number): NamespaceInit => ({
  pid,
  startedAt: statusOf(pid)?.startedAt ?? null,
});

export function isNamespaceGone(init: NamespaceInit): boolean {
  const now = statusOf(init.pid);
  // It becomes a zombie only after all others in its namespace were reaped.
  return now === null || now.startedAt !== init.startedAt || now.state === "Z" || now.state === "X";
}

/**
 * Waits until no process of the namespace lives.
 * @param patience ms
 * @returns false if it still lives: a process that hangs in the kernel cannot be ended
 */
export async function untilNamespaceGone(init: NamespaceInit, patience: number): Promise<boolean> {
  const until = performance.now() + patience;
  for (let wait = 1; !isNamespaceGone(init); wait = Math.min(wait * 2, 50)) {
    if (performance.now() > until) return false;
    killInit(init);
    await pause(wait);
  }
  return true;
}

/** Kills all processes in the namespace at once, including stopped ones and those that left their session. */
export function killInit(init: NamespaceInit): void {
  if (!isNamespaceGone(init)) sendSignal(init.pid, "SIGKILL");
}

/** State and start time are the third and the twenty-second field; the second may hold spaces and parentheses. */
function statusOf(pid: number | string): { readonly state: string; readonly startedAt: string } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
}

/** None once it has ended. */
function tasksOf(process: string): readonly string[] {
  try {
    return readdirSync(`/proc/${process}/task`);
  } catch {
    return [];
  }
}

function childrenOf(process: string, task: string): readonly string[] | null {
  try {
    const text = readFileSync(`/proc/${process}/task/${task}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return [];
    // Either the task has ended meanwhile, or the kernel was built without it.
    return tasksOf(process).includes(task) ? null : [];
  }
}

function allInNamespace(pid: number): ProcessTree {
  const namespace = namespaceOf(String(pid));
  if (namespace === null) return { processes: [], threads: 0 };
  const processes = readdirSync("/proc").filter(
    (name) => /^\d+$/u.test(name) && namespaceOf(name) === namespace,
  );
  return { processes, threads: processes.reduce((sum, process) => sum + tasksOf(process).length, 0) };
}

function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It ended meanwhile, or belongs to another user.
    return null;
  }
}

/** Workspaces with a process that could not be ended: it hangs in the kernel until that releases it. */
const hanging = new Map<string, NamespaceInit>();

export class NamespaceHangs extends ToolFailure {
  readonly init: NamespaceInit;
  constructor(init: NamespaceInit) {
    super(
      "failed",
      `A process of the command can't be killed: it hangs in the kernel (process ${init.pid}). No other command runs in this workspace until it exits.`,
    );
    this.init = init;
  }
}

/** @throws NamespaceHangs while a process of an earlier command is there */
export function refuseHanging(workspace: string): void {
  const init = hanging.get(workspace);
  if (init === undefined) return;
  if (!isNamespaceGone(init)) throw new NamespaceHangs(init);
  hanging.delete(workspace);
}

/** Remembers what cannot be ended. */
export async function rememberHanging<Result>(
  workspace: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NamespaceHangs) hanging.set(workspace, error.init);
    throw error;
  }
}

const patienceMs = 10_000;

/** All processes in a namespace, as programs that work in a folder. */
export function namespaceOccupant(init: NamespaceInit): Occupant {
  let before: ReadonlyMap<string, string> = new Map();
  return {
    async stop() {
      await stopNamespace(init);
      before = processorUse(init);
    },
    resume() {
      if (isNamespaceGone(init)) return;
      const now = processorUse(init);
      const hasRun = [...before].some(([task, use]) => now.has(task) && now.get(task) !== use);
      for (const pid of processTree(init).processes) sendSignal(Number(pid), "SIGCONT");
      if (!hasRun) return;
      killInit(init);
      throw new ToolFailure(
        "failed",
        "Processes of the agent continued while its files were read or written, so they were ended. Retry.",
      );
    },
  };
}

/**
 * Stops all processes in the namespace and returns when none runs: what looks at their files meanwhile can rely on what
 * it sees. Two clean looks in a row, because a process that is still running may continue another one.
 *
 * @throws ToolFailure naming a process that does not stop
 */
async function stopNamespace(init: NamespaceInit): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let clean = 0; clean < 2 && !isNamespaceGone(init); ) {
    const running = processTree(init).processes.filter(isRunning);
    clean = running.length === 0 ? clean + 1 : 0;
    for (const pid of running) sendSignal(Number(pid), "SIGSTOP");
    if (running.length > 0 && performance.now() > until)
      throw new ToolFailure("failed", `Process ${running[0]} of the agent can't be stopped.`);
    if (running.length > 0) await pause(1);
  }
}

/** What each thread has used of the processor: a timer of its own may have continued one that was stopped. */
function processorUse(init: NamespaceInit): ReadonlyMap<string, string> {
  const uses = processTree(init).processes.flatMap((pid) =>
    tasksOf(pid).map((task) => [task, usedBy(`${pid}/task/${task}`)] as const),
  );
  return new Map(uses);
}

/** In nanoseconds; "" once it is gone. */
function usedBy(task: string): string {
  try {
    return readFileSync(`/proc/${task}/schedstat`, "utf8").split(" ", 1)[0] ?? "";
  } catch {
    return "";
  }
}

/** Whether one of its threads is neither stopped nor ended. */
const isRunning = (pid: string): boolean =>
  tasksOf(pid).some((task) => {
    const state = statusOf(`${pid}/task/${task}`)?.state;
    if (state === undefined || ["T", "t", "Z", "X"].includes(state)) return false;
    return !(state === "D" && waitsForChild(`${pid}/task/${task}`));
  });

/** In `vfork` it waits in the kernel until its child starts another program, which a stopped child does not; then it stops. */
function waitsForChild(task: string): boolean {
  try {
    return /fork|clone/u.test(readFileSync(`/proc/${task}/wchan`, "utf8"));
  } catch {
    // It ended meanwhile.
    return false;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Kills leftover commands of a killed host and waits until they are gone: the kernel ends them with the host,
 * but not at once, and until then they write to their workspaces. Only for the owner of the repository.
 *
 * @param folder that contains the workspaces, absolute and without links
 * @param kept sandboxes that outlive their host
 * @throws Error naming a process that cannot be ended
 */
export async function endOrphanedSandboxes(
  folder: string,
  kept: readonly NamespaceInit[] = [],
): Promise<void> {
  if (process.platform !== "linux") return;
  const living = kept.filter((one) => !isNamespaceGone(one)).map(({ pid }) => namespaceOf(String(pid)));
  const others = [namespaceOf("self"), ...living];
  const left = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && !others.includes(namespaceOf(name)) && sees(name, folder))
    .map((name) => namespaceInit(Number(name)));
  for (const one of left) killInit(one);
  for (const one of left)
    if (!(await untilNamespaceGone(one, patienceMs)))
      throw new Error(
        `A process of an earlier command can't be killed: process ${one.pid} hangs in the kernel.`,
      );
}

/** Whether something below the folder is mounted where the process is. */
function sees(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "utf8")
      .split("\n")
      .some((line) => unescaped(line.split(" ")[4] ?? "").startsWith(`${folder}/`));
  } catch {
    return false;
  }
}

/** Blanks and the like are escaped as three octal digits. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
