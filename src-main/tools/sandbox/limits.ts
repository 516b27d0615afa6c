import { readBoundedFileOrNull } from "../../disk/repository-files.ts";

export interface Limits {
  readonly processes: number;
  /** Bytes of data one process may hold. */
  readonly memory: number;
  /** Bytes that all processes of one command may hold together. */
  readonly wholeMemory: number;
  /** Bytes of the largest file that may be written. */
  readonly file: number;
}

export const defaultLimits: Limits = {
  processes: 512,
  memory: 4 * 2 ** 30,
  wholeMemory: 8 * 2 ** 30,
  file: 2 ** 30,
};

/** Threads for each process that is allowed. Most have one; an engine for a language starts a dozen. */
export const threadsPerProcess = 2;

/** What the kernel holds each process to, or a user's processes together: options of `prlimit`, by its rows in `/proc`. */
const kernelLimits = ({
  processes,
  memory,
  file,
}: Limits): readonly (readonly [string, string, number])[] => [
  // The kernel's own count is a second line: it counts per user, and root not at all. See run-in-bubblewrap.ts.
  ["nproc", "Max processes", processes * 8],
  ["data", "Max data size", memory],
  ["fsize", "Max file size", file],
  ["core", "Max core file size", 0],
  ["nofile", "Max open files", 2 ** 14],
  // Counted for a user in all, within a namespace and around it: a command gets a small part of it.
  ["sigpending", "Max pending signals", 1024],
  ["msgqueue", "Max msgqueue size", 200 * 1024],
  ["memlock", "Max locked memory", 2 ** 20],
];

/**
 * A shell under limits. Memory is limited as data, not as address space: engines such as V8 reserve far more addresses
 * than they use.
 */
export function limitedShell(
  command: string,
  limits: Limits,
  prlimit: string | null,
  own: string = ownLimits(),
): readonly string[] {
  if (prlimit) {
    const options = kernelLimits(limits).map(
      ([name, row, wanted]) => `--${name}=${Math.min(wanted, hardLimit(own, row))}`,
    );
    return [prlimit, ...options, "--", "/bin/sh", "-c", command];
  }
  const inShell = `ulimit -c 0; ulimit -d ${Math.floor(limits.memory / 1024)} 2>/dev/null; exec /bin/sh -c "$0"`;
  return ["/bin/sh", "-c", inShell, command];
}

/** Only Linux reports it, and only there is `prlimit`. */
const ownLimits = (): string => readBoundedFileOrNull("/proc/self/limits", 100_000) ?? "";

/** Nobody without rights can have more than this: to ask for it would end the command before it begins. */
function hardLimit(own: string, row: string): number {
  const [, hard] = new RegExp(`^${row}\\s+\\S+\\s+(\\S+)`, "mu").exec(own) ?? [];
  return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}

/** A setting of the kernel's for one user namespace, below `folder`. */
export interface UserLimit {
  readonly name: string;
  readonly value: number;
}

export const folder = "/proc/sys/user";

/** One command's share of the kernel's limits for a user: others run meanwhile, and the user's programs. */
const part = 1 / 8;

/** What the kernel counts per user and can limit per namespace, with generous limits. */
const most: Readonly<Record<string, number>> = {
  max_inotify_instances: 1024,
  max_inotify_watches: 2 ** 17,
  max_fanotify_groups: 16,
  max_fanotify_marks: 2 ** 13,
};

/** What one command may have; nothing for what this kernel does not count. */
export function userLimits(settingOf: (name: string) => number | null = setting): readonly UserLimit[] {
  return Object.keys(most).flatMap((name) =>
    settingOf(name) === null ? [] : [{ name, value: ownShare(name, settingOf) }],
  );
}

/** The limits of one command, however they are enforced. */
export function ownShare(
  name: keyof typeof most,
  settingOf: (name: string) => number | null = setting,
): number {
  const whole = settingOf(name) ?? Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(most[name] ?? 1, Math.floor(whole * part)));
}

/** Null for a kernel that does not count it. */
function setting(name: string): number | null {
  const text = readBoundedFileOrNull(`${folder}/${name}`, 1_000);
  return text === null || !Number.isInteger(Number(text)) ? null : Number(text);
}
