/**
 * What a capability adds to agents' work: prompt sections, tools, gates before work, and conditions for being
 * done.
 */
import type { MessageView } from "#shared/contract/views/message.ts";
import type { HookResult } from "#shared/domain/conversation/conversation.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { PromptFacts } from "../../agent/loop-interface.ts";
import type { PostToolsHook } from "../../agent/post-tools-hooks.ts";
import type { Checks } from "../../checks/found-checks.ts";
import type { Recorded, Workspace } from "../../jj/ports/working-copies.ts";
import type { Tool, ToolSignal } from "../../tools/tool-interface.ts";
import type { DoneCheck, Gate } from "./gates.ts";
import type { PromptSection } from "./prompt-sections.ts";

/** The input of an agent's prompt before an iteration. */
export interface PromptAbout {
  readonly worker: string;
  readonly heading: PromptText;
  readonly description: () => readonly PromptText[];
  readonly facts: PromptFacts;
  /** Messages that come with this prompt. */
  readonly messages: readonly MessageView[];
  /** Files that jj holds in conflict. */
  readonly conflicts: readonly string[];
  /** What will judge its work. */
  readonly checks: Checks;
  /** Its diff so far; null before the first iteration. */
  readonly diff: string | null;
}

/** Writes one section of an agent's prompt, or several under one name. */
type WriteSection<Context> = (context: Context, about: PromptAbout) => readonly PromptText[];

/** What an agent says is done. */
export interface FinishedWork {
  readonly worker: string;
  /** Messages that it has read. */
  readonly delivered: readonly MessageView[];
  readonly conflicts: readonly string[];
  /** Its task has changed since its last prompt. */
  readonly isTaskChanged: boolean;
  /** Why a decision is against it, from what was saved last. */
  readonly contradiction: () => Promise<string | null>;
}

/** Why finished work does not count, in words for the agent. */
interface RefuseDone<Context> {
  readonly name: DoneCheck;
  readonly why: (context: Context, work: FinishedWork) => string | null | Promise<string | null>;
}

/** What holds an agent at its turn boundary. */
interface TurnGate<Context> {
  readonly name: Gate;
  /** True while the agent should stop at its turn boundary; called before each of its requests. */
  readonly isClosed?: (context: Context, worker: string) => boolean;
  /**
   * Waits, and says on screen for what, until it may pass.
   * @returns whether it had to wait: then something else may hold it by now
   */
  readonly pass: (context: Context, worker: string, signal: AbortSignal) => Promise<boolean>;
}

/** What an agent's workspace holds was recorded. */
export interface SavedWork {
  readonly worker: string;
  readonly workspace: Omit<Workspace, "folder">;
  readonly recorded: Recorded;
}

/** Work that is about to count, as a change. */
export interface OfferedWork {
  readonly worker: string;
  readonly changeId: string;
}

export interface AgentWork<Context> {
  /**
   * Rebases an agent's change onto others' work between its iterations; free if there is none.
   * @param again also retries what could not be taken in before
   * @returns whether it has a new base
   */
  readonly syncBase?: (context: Context, worker: string, again: boolean) => Promise<boolean>;
  /** Judges what was just recorded. @returns what is recorded then */
  readonly judgeSaved?: (context: Context, saved: SavedWork) => Promise<Recorded>;
  /** Waits until work may count that is finished. */
  readonly beforeOffer?: (context: Context, offered: OfferedWork, signal: AbortSignal) => Promise<void>;
  /** Takes down what an agent asked for with a tool, together with the iteration that it was in. */
  readonly onSignal?: (context: Context, worker: string, signal: ToolSignal, iteration: number) => void;
  /** In addition to the tools for files and commands. */
  readonly tools?: (context: Context, worker: string) => readonly Tool[];
  readonly prompt?: Readonly<Partial<Record<PromptSection, WriteSection<Context>>>>;
  readonly gate?: TurnGate<Context>;
  readonly refuseDone?: RefuseDone<Context>;
  /** What runs after the tools of a turn, as the settings say now. */
  readonly hooks?: (context: Context, worker: string) => Promise<readonly PostToolsHook[]>;
  /** Receives the results of a worker's hooks. */
  readonly onHooks?: (context: Context, worker: string, results: readonly HookResult[]) => void;
  /** Runs after work was merged, at least once; `failure` is the message for the user if it fails. */
  readonly afterMerge?: {
    readonly failure: (worker: string) => string;
    readonly perform: (context: Context, worker: string, signal: AbortSignal) => Promise<void>;
  };
}
