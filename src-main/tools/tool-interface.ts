import type { Readable, Writable } from "node:stream";
import type { z } from "zod";
import type { DependencyRequest } from "#shared/domain/dependencies/request.ts";
import type { ExactPaths } from "./protected-files.ts";

/** One tool that a model may call. Tools never see more than their context gives them. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Calls of independent tools run at once; a tool that writes says so and runs alone in call order. */
  readonly writes: boolean;
  /** It writes, and holds its own calls apart from each other: those of one turn run at once. */
  readonly runsInParallel?: boolean;
  /** Only makes a signal from its input, so it may run again to repeat the signal after a crash. */
  readonly onlySignals?: boolean;
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
}

/**
 * A tool with typed input. A list holds tools of many inputs: calling one with `unknown` is safe because the
 * conversation passes only what the tool's own schema has parsed.
 */
export const defineTool = <Input>(tool: Tool<Input>): Tool => ({
  ...tool,
  run: (input, context) => tool.run(input as Input, context),
});

/** A tool whose only purpose is an answer in a fixed shape (a plan, a vote, a decision); it ends the turn. */
export const structuredTool = (name: string, description: string, schema: z.ZodType): Tool => ({
  name,
  description,
  input: schema,
  writes: true,
  onlySignals: true,
  run: async (value) => ({ ok: true, output: "Received.", signal: { kind: "structured", name, value } }),
});

export interface ToolContext {
  readonly agent: string;
  readonly signal: AbortSignal;
  /** Of the call that runs; the same when it runs again after a crash. The conversation provides it. */
  readonly callId?: string;
  /** Files and commands of the one place that this agent works in. */
  readonly files: FileAccess;
  readonly run: (command: PlacedCommand) => Promise<CommandResult>;
  /** What this conversation has read, for read-before-write; the conversation provides it. */
  readonly seen?: SeenFiles;
  /** Hides known secrets in every output; default: those of the environment. */
  readonly redact?: (text: string) => string;
  /** Extra environment for commands (port range and the like). */
  readonly environment: Readonly<Record<string, string>>;
}

export type ToolOutcome =
  | {
      readonly ok: true;
      readonly output: string;
      /** Pictures for the model, after the text. */
      readonly images?: readonly Picture[];
      /** Ends the conversation turn: see `agent-interface.ts`. */
      readonly signal?: ToolSignal;
    }
  | { readonly ok: false; readonly error: ToolErrorKind; readonly output: string };

export interface Picture {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Base64. */
  readonly data: string;
}

export type ToolErrorKind =
  | "unknown-tool"
  | "invalid-input"
  | "protected-file"
  | "outside-workspace"
  | "not-found"
  | "not-unique"
  | "changed-since-read"
  /** A decision binds the lines that the edit would take out or bring back. */
  | "overrides-decision"
  | "not-text"
  | "too-large"
  | "timed-out"
  | "cancelled"
  | "command-failed"
  | "sandbox-missing"
  | "not-allowed"
  /** It was suspended and resumes with its conversation; nothing is reported meanwhile. */
  | "suspended"
  /** A fault of Hox or of the disk. */
  | "failed";

/** A tool call that failed for a reason the agent can act on. The message is what the agent reads. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly kind: ToolErrorKind;
  constructor(kind: ToolErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A coordination tool's signal for the loop. */
export type ToolSignal =
  | {
      readonly kind: "align-request";
      readonly question: string;
      readonly options: readonly string[];
      readonly blocking: boolean;
    }
  /** The iteration ends, and the agent waits until the package is there or refused. */
  | { readonly kind: "dependency-request"; readonly request: DependencyRequest; readonly why: string }
  | { readonly kind: "done"; readonly summary: string }
  | { readonly kind: "blocked"; readonly reason: string }
  | { readonly kind: "structured"; readonly name: string; readonly value: unknown };

/** Which version of each file a conversation knows. */
export interface SeenFiles {
  /** The hash of the text that it last read or wrote, or undefined. */
  hashOf(path: string): string | undefined;
  note(path: string, hash: string): void;
  /** It was looked for and could not be read: where nothing is, it may be written again. */
  forget(path: string): void;
}

/** Paths inside one workspace, checked after resolving links. Throws `ToolFailure`. */
export interface FileAccess {
  /** As the configuration lists them, so that commands are held to the same. */
  readonly protectedFiles: readonly string[];
  readText(path: string): Promise<FileText>;
  /** `expected` is the hash of what the writer believes is there; null means: nothing. */
  writeText(
    path: string,
    text: string,
    expected?: string | null,
  ): Promise<{ path: string; hash: string; created: boolean }>;
  /** A picture that a model can look at, or null where the file is none. */
  readPicture(path: string): Promise<(Picture & { readonly path: string; readonly bytes: number }) | null>;
  /** Moves a file to where nothing is yet; missing folders are made. */
  move(from: string, to: string): Promise<{ readonly from: string; readonly to: string }>;
  /** Takes a file or a link away. */
  remove(path: string): Promise<{ readonly path: string }>;
  list(
    path: string,
    options: { readonly recursive: boolean; readonly limit: number; readonly includeIgnored?: boolean },
  ): Promise<readonly string[]>;
  /** Paths of files that fit a pattern relative to `path`. */
  find(
    pattern: string,
    options: {
      readonly path: string;
      readonly ignoreCase: boolean;
      readonly includeIgnored: boolean;
      readonly limit: number;
    },
  ): Promise<readonly string[]>;
  search(
    pattern: string,
    options: {
      readonly path: string;
      readonly regex: boolean;
      readonly ignoreCase?: boolean;
      readonly context?: number;
      /** Only in files that fit this pattern; null: in all. */
      readonly files?: string | null;
      /** Default: what `.gitignore` files name is looked at too. */
      readonly includeIgnored?: boolean;
      readonly limit: number;
    },
  ): Promise<SearchResult>;
}

export interface SearchResult {
  readonly matches: readonly FoundLine[];
  /** Files that are too large to be searched with others. */
  readonly passedOver: readonly string[];
}

export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Lines around it, where they were asked for. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface FileText {
  /** Relative to the workspace, in one spelling. */
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

/** Runs commands of agents where the operating system, not a string check, holds them in. */
export interface Sandbox {
  readonly isolation: Isolation;
  run(command: SandboxedCommand): Promise<CommandResult>;
  /** Starts a program that stays, and does not wait for commands of its workspace, nor they for it. */
  start(program: LongRunningProgram): Promise<LongRunningProcess>;
  /** Takes over one that an earlier host started. Protected files count as they are now. */
  adopt(
    init: NamespaceInit,
    program: Pick<LongRunningProgram, "workspace" | "protectedFiles" | "exactPaths">,
  ): Promise<AdoptedProcess>;
}

/** A program that works in a workspace for longer than one command, held in like one. */
export interface LongRunningProgram {
  /** Its path inside, and its arguments. */
  readonly words: readonly [string, ...string[]];
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A folder that becomes its HOME. */
  readonly home: string;
  /** What it sees in addition to what commands see. Without a sandbox nothing is mounted. */
  readonly mounts: readonly SandboxMount[];
  /** Files and folders of the workspace that are empty for it, where they exist. Without a sandbox nothing is hidden. */
  readonly hidden?: readonly string[];
  /** Default: the sandbox's own list. */
  readonly protectedFiles?: readonly string[];
  readonly exactPaths?: ExactPaths;
  /** Whether it ends with the process that starts it. Default: it continues, and another host takes it over. */
  readonly endsWithHost?: boolean;
}

/** A part of the user's machine that is visible inside a sandbox. */
export interface SandboxMount {
  readonly source: string;
  readonly destination: string;
  /** Default: true. */
  readonly readOnly?: boolean;
}

export interface LongRunningProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The workspace's path inside. */
  readonly view: string;
  /** Its sandbox, by which another host can take it over; null: it has none. */
  readonly init: NamespaceInit | null;
  /** Its exit code and, if a limit or the system ended it, why. Pending while it lives. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly reason: string }>;
  /**
   * Does something while no process in the sandbox runs, such as reading the workspace: nothing is exchanged under its
   * hands. Without a sandbox nothing is stopped.
   */
  whileStopped<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Reverts what was changed of protected files since the start. Call it in `whileStopped`.
   * @returns which, as a readable list
   */
  restoreProtected(): Promise<readonly string[]>;
  /** Ends it and all that it has started. */
  kill(): Promise<void>;
}

export type AdoptedProcess = Pick<LongRunningProcess, "whileStopped" | "restoreProtected" | "kill">;

/** The first process of a process namespace: once it is gone, the kernel has ended and reaped all the others. */
export interface NamespaceInit {
  readonly pid: number;
  /** Distinguishes it from a later process of the same number. Null if it was gone too early. */
  readonly startedAt: string | null;
}

export interface Isolation {
  /** `none` never runs a command unless the user has allowed it. */
  readonly kind: "bubblewrap" | "seatbelt" | "none";
  readonly version: string | null;
  /** What is in force, in a few words for the edge of a window. */
  readonly summary: string;
  /** One line for the screen: what is held in, what is not. */
  readonly description: string;
  readonly allowed: boolean;
}

export interface SandboxedCommand {
  /** Run by a shell inside the sandbox. */
  readonly command: string;
  readonly workspace: string;
  /** Relative to the workspace. */
  readonly folder?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Default: the sandbox's own list. */
  readonly protectedFiles?: readonly string[];
  /** Paths that are protected as well, and paths that are not, whatever the list says. */
  readonly exactPaths?: ExactPaths;
  /** What it may reach, and the setting that a refusal names. Default: the sandbox's own hosts. */
  readonly network?: { readonly hosts: readonly string[]; readonly setting: string };
  /** Called with all output as it comes, without escapes and already redacted; how much of it is kept is the caller's. */
  onOutput?(text: string): void;
}

/** A command without its workspace's path. */
export type PlacedCommand = Omit<SandboxedCommand, "workspace">;

export interface CommandResult {
  readonly outcome: "exited" | "timed-out" | "cancelled" | "missing";
  readonly exitCode: number | null;
  /** Head and tail with the byte count between, secrets redacted, escapes removed. */
  readonly output: string;
  readonly bytes: number;
  readonly ms: number;
  /** File with the whole output, redacted, where it was too long and the sandbox has a folder for logs. */
  readonly log: string | null;
  /** Protected paths that the command made or changed, each put back as it was; the last says how many were left out. */
  readonly restored: readonly string[];
}
