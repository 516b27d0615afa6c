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
