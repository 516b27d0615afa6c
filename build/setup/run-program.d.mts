/** Runs a program to its end, with its output as one text. Never throws: one that cannot be started ends with code 127. */
export function run(
  program: string,
  args: readonly string[],
  options?: {
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly limitMs?: number;
    /** Lets the program write to stderr as it goes. */
    readonly show?: boolean;
    readonly shell?: boolean;
  },
): Promise<{ readonly code: number; readonly output: string; readonly timedOut: boolean }>;
export function versionOf(program: string, flag?: string): Promise<string | undefined>;
export function isProgram(path: string): boolean;
/** The first of these programs on PATH or in the folders of package managers. */
export function onPath(names: readonly string[]): string | undefined;
