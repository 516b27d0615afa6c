/**
 * What a capability adds to agents' work: prompt sections, tools, gates before work, and conditions for being
 * done.
 */
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { PromptFacts } from "../../agent/loop.ts";
import type { Checks } from "../../checks/found-checks.ts";
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
  /** Their places in conflict, where its conversation has not to read them; of the others nothing. */
  readonly conflictPlaces: readonly PromptText[];
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

/** Work that is about to count, as a change. */
export interface MergeCandidate {
  readonly worker: string;
  readonly changeId: string;
}

/** Messages at a turn boundary in the middle of a conversation; prompts contain the same. */
interface Interruptions<Context> {
  /** What it has not read yet; null if nothing. */
  readonly word: (context: Context, worker: string) => PromptText | null;
  /** A prompt or a word brought it. */
  readonly read: (context: Context, worker: string) => void;
}

export interface AgentWork<Context> {
  /** Waits until work may count that is finished. */
  readonly beforeOffer?: (context: Context, offered: MergeCandidate, signal: AbortSignal) => Promise<void>;
  /** Takes down what an agent asked for with a tool, together with the iteration that it was in. */
  readonly onSignal?: (context: Context, worker: string, signal: ToolSignal, iteration: number) => void;
  /** In addition to the tools for files and commands. */
  readonly tools?: (context: Context, worker: string) => readonly Tool[];
  readonly prompt?: Readonly<Partial<Record<PromptSection, WriteSection<Context>>>>;
  readonly interruptions?: Interruptions<Context>;
  readonly gate?: TurnGate<Context>;
  readonly refuseDone?: RefuseDone<Context>;
}
