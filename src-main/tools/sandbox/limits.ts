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

/**
 * A shell under limits. Memory is limited as data, not as address space: engines such as V8 reserve far more addresses
 * than they use.
 */
export function limitedShell(command: string, limits: Limits, prlimit: string | null): readonly string[] {
  if (prlimit) {
    // The kernel's own count is a second line: it counts per user, and root not at all. See process-count.ts.
    const options = [
      `--nproc=${limits.processes * 8}`,
      `--data=${limits.memory}`,
      `--fsize=${limits.file}`,
      "--core=0",
    ];
    return [prlimit, ...options, "--", "/bin/sh", "-c", command];
  }
  const inShell = `ulimit -c 0; ulimit -d ${Math.floor(limits.memory / 1024)} 2>/dev/null; exec /bin/sh -c "$0"`;
  return ["/bin/sh", "-c", inShell, command];
}
