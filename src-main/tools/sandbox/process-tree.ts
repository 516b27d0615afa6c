import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { NamespaceInit } from "./namespace-end.ts";

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
