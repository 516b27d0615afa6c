/** What the host says of its machine: jj commands that take too long, and how full the disk is. */

/** A command of jj that has been running for longer than any should. */
export interface SlowCommand {
  /** No other command of this host has it. */
  readonly id: number;
  /** As typed: `jj workspace add`. */
  readonly command: string;
  /** Where it runs. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** When Hox ends it, in milliseconds after its start. */
  readonly limitMs: number;
}

const seconds = (milliseconds: number): number => Math.max(0, Math.round(milliseconds / 1_000));

/**
 * One line for the user: which command, for how long, and its time limit. @param now milliseconds since 1970
 */
export const slowCommandLine = ({ command, startedAt, limitMs }: SlowCommand, now: number): string =>
  `${command} has been running for ${seconds(now - startedAt)} s; Hox ends it after ${seconds(limitMs)} s.`;

/** What takes the place of that line where a line that was printed stays. */
export const slowCommandEnded = ({ command, startedAt }: SlowCommand, now: number): string =>
  `${command} has ended, after ${seconds(now - startedAt)} s.`;

// How much disk the workspaces of a run may take.

/** Bytes that one workspace, and all of a run together, may take; null is no cap. */
export interface DiskCaps {
  readonly each: number | null;
  readonly all: number | null;
}

export type DiskState =
  | { readonly kind: "ok" }
  /** `of`: whose cap it is. `bytes` and `cap` in bytes. */
  | {
      readonly kind: "near" | "full";
      readonly of: keyof DiskCaps;
      readonly bytes: number;
      readonly cap: number;
    };

/** Share of a cap from which on the user is warned. */
const warnAt = 0.8;

/**
 * Compares a workspace's disk use with the caps. Full comes before nearly full, and its own cap before the
 * total, because that is the more specific problem. (design section 5)
 * @param bytes of the workspace, and of all workspaces of the run including it; 0 or more
 */
export function diskState(caps: DiskCaps, bytes: Readonly<Record<keyof DiskCaps, number>>): DiskState {
  for (const [kind, share] of [["full", 1] as const, ["near", warnAt] as const])
    for (const whose of ["each", "all"] as const) {
      const cap = caps[whose];
      if (cap !== null && bytes[whose] >= cap * share) return { kind, of: whose, bytes: bytes[whose], cap };
    }
  return { kind: "ok" };
}
