import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ReaderName } from "./readers.ts";
import { slack } from "./waiting.ts";

export type ChildTask = { readonly workspace: string } & (
  | { readonly kind: "command"; readonly command: string; readonly timeoutMs?: number }
  | { readonly kind: "checks" }
  | { readonly kind: "write-for-ever" }
  /** Reads what a repository, an archive or another program brought. */
  | { readonly kind: "read"; readonly reader: ReaderName }
);

export interface ChildHost {
  readonly process: ChildProcess;
  /** What it wrote, once it ended or was ended at its limit. */
  readonly ended: Promise<{ readonly output: string; readonly inTime: boolean; readonly peak: number }>;
}

const program = fileURLToPath(new URL("./child-host.ts", import.meta.url));

/** `wrapped` puts a program before Node, as a shell that leaks a descriptor or a terminal would be. */
export function startChildHost(
  task: ChildTask,
  {
    wrapped = [],
    environment = {},
    limitMs = 20_000 * slack,
  }: {
    readonly wrapped?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly limitMs?: number;
  } = {},
): ChildHost {
  const [first = process.execPath, ...rest] = [...wrapped, process.execPath, program, JSON.stringify(task)];
  const child = spawn(first, rest, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let peak = 0;
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString("utf8");
  });
  child.stderr.on("data", (bytes: Buffer) => {
    output += bytes.toString("utf8");
  });
  const watch = setInterval(() => {
    peak = Math.max(peak, residentBytes(child.pid));
  }, 50);
  const ended = new Promise<{ output: string; inTime: boolean; peak: number }>((resolve, reject) => {
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      child.kill("SIGKILL");
    }, limitMs);
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      clearInterval(watch);
      resolve({ output, inTime, peak });
    });
  });
  return { process: child, ended };
}

function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+)/mu.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    // It ended while we looked.
    return 0;
  }
}
