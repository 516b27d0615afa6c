/** Agents that files of the repository describe, for forks. (HIVE-1, HIVE-7) */

/** Whose format a file has: ours, or that of Claude Code. */
export type AgentFileKind = "hox" | "claude";

export interface NamedAgent {
  readonly name: string;
  readonly description: string;
  /** Its system prompt: the text below the front matter. */
  readonly system: string;
  /** Our names, each once; null: all that a fork may use. */
  readonly tools: readonly string[] | null;
  /** `inherit`: its caller's. Null: the file names none, so that `hive.default_model` decides. */
  readonly model: string | null;
  readonly limits: {
    /** Model requests. */
    readonly maxTurns: number | null;
    readonly timeoutSeconds: number | null;
    readonly budgetUsd: number | null;
  };
  readonly source: { readonly path: string; readonly kind: AgentFileKind };
}

/** A file's value for the caller's model. */
export const inheritedModel = "inherit";

export interface AgentFileProblem {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** A file with an `error` is no agent; a `warning` says what of it is not used. */
  readonly level: "error" | "warning";
  readonly problem: string;
  readonly remedy: string;
}

export interface AgentFile {
  readonly path: string;
  readonly kind: AgentFileKind;
  readonly text: string;
}

export interface AgentFiles {
  /** In the order of their names, each name once. */
  readonly agents: readonly NamedAgent[];
  /** In the order of the files and their lines. */
  readonly problems: readonly AgentFileProblem[];
}

/** Where Claude Code keeps its agents in a repository. */
export const claudeAgentsFolder = ".claude/agents";

/** Bytes of one file; a longer one is not read. */
export const maxAgentFileBytes = 64 * 1024;

/** Maximum of files that are read; the others are reported. */
export const maxAgentFiles = 200;
