import type { TestBed } from "./test-bed.ts";

/** The outcome of one try of one case, seen from outside. */
export type Verdict =
  | { readonly kind: "refused" }
  /** It happened, and no further than this. */
  | { readonly kind: "bounded"; readonly at: string }
  | { readonly kind: "failed"; readonly how: string };

/**
 * One attack. Every try gets a new test bed. Before a case's own judge decides, the test bed checks whether anything
 * outside the workspace was changed, a canary was read, or a process is still alive: see `attempt.ts`.
 */
export interface Case {
  /** Words with hyphens, unique in the suite: `--case` takes it. */
  readonly name: string;
  /** Where it comes from: a finding (`F1`), the safety notes (`notes`), or the suite itself (`own`). */
  readonly source: string;
  /**
   * How often it is tried. Default: 3 times in the long form and once in the short one; 0 leaves it out. `tests`: in `npm test`;
   * default: as in the short form.
   */
  readonly tries?: { readonly long: number; readonly short: number; readonly tests?: number };
  /** Where the workspace is. Default: on the host. */
  readonly where?: "worker" | "worker that keeps places";
  /** Why this machine or this user cannot try it, or null. */
  readonly impossible?: () => string | null | Promise<string | null>;
  /** Lays out what the attack aims at. */
  readonly plant?: (testBed: TestBed) => void | Promise<void>;
  /** A shell command for the sandbox, or calls of what an agent has. */
  readonly attack: string | ((testBed: TestBed) => unknown);
  /** Default: refused, when nothing outside was touched. */
  readonly judge?: (testBed: TestBed) => Verdict | Promise<Verdict>;
}

/** Cases of one kind, in one file. */
export interface Family {
  readonly name: string;
  readonly cases: readonly Case[];
}

export const refused: Verdict = { kind: "refused" };
export const bounded = (at: string): Verdict => ({ kind: "bounded", at });
export const failed = (how: string): Verdict => ({ kind: "failed", how });

/** A race that has to be lost often before it can be called safe. One of them was won at the twentieth try. */
export const race = { long: 200, short: 25, tests: 2 } as const;
