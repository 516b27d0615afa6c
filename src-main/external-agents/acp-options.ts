import type { RequestedCall } from "#shared/contract/cards/mutation.ts";
import type { Usage } from "#shared/domain/spending/usage.ts";
import type { Redactor } from "../tools/redact.ts";
import type { Dialect } from "./dialects.ts";
import type { McpEndpoint } from "./mcp-endpoint.ts";
import type { PermissionEvent } from "./runner/runner-protocol.ts";
import type { RunnerHandle } from "./start-runner.ts";

/** What an agent asks for, with what is known of the call; null: nothing. */
export type PermissionRequest = PermissionEvent & { readonly call: RequestedCall | null };

/** What one worker's agent of another make works with. */
export interface AcpDriverOptions {
  /** Of the agent in the configuration; names the driver in resume tokens. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly projectSettings?: readonly string[];
  /**
   * The worker's runner: one that an earlier host has left, or a new one. `gone` is null, or the one that it gave before:
   * that does not answer any more and has been ended.
   */
  readonly runner: (gone: RunnerHandle | null) => Promise<RunnerHandle>;
  /** Serves Hox's tools behind the gateway's socket; null: they are not offered. */
  readonly mcp: McpEndpoint | null;
  /** `sandbox`: whatever the sandbox lets it do. A function: asked for the id of an option; null for none. */
  readonly permissions:
    | "sandbox"
    | ((request: PermissionRequest, signal: AbortSignal) => Promise<string | null>);
  /** Who counts tokens: the gateway on the wire, nobody, or the agent's own word at this price in micro-dollars. */
  readonly usage: "metered" | "unmetered" | { readonly price: (usage: Usage, model: string) => number };
  /**
   * The worker's gateway: it serves requests while a turn is open, and a turn is over when the last of them is. Default: a
   * turn is over with its answer.
   */
  readonly gateway?: {
    openTurn(): void;
    closeTurn(): void;
    idle(): Promise<void>;
  };
  /** Called before a turn begins: what it needs of the files is brought to where the agent is. */
  readonly beforeTurn?: () => Promise<void>;
  /** Called after each turn, before what it did counts. */
  readonly afterTurn?: () => Promise<void>;
  /** Called when all events up to this one have been handled, before the runner forgets them. See `RunnerHandle.after`. */
  readonly onHandled?: (seq: number) => void;
  /** What it could repeat of its user's login. */
  readonly hidden?: Pick<Redactor, "stream">;
  /** How long an agent may continue after it was told to end its turn. Default: 10 s. */
  readonly signalMs?: number;
  /** How long a cancelled turn may take before its sandbox is ended by force. Default: 20 s. */
  readonly killMs?: number;
}
