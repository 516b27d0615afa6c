/** What wakes an orchestrator, and what it answers: words that both sides of the registry use. */
import type { PromptText } from "#shared/domain/text/prompt-text.ts";

/** Events that wake an orchestrator; what may answer each says who offers the tool. */
export const orchestratorEvents = [
  "plan",
  "plan changed",
  "contracts",
  "contracts in conflict",
  "align-request",
  "user answered",
  "escalation answered",
  "message",
  "user message",
  "mutation applied",
  "mutation rejected",
  "merge request ready",
  "child stalled",
  "child silent",
  "child blocked",
  "conflict forecast",
  "learn",
] as const;
export type OrchestratorEvent = (typeof orchestratorEvents)[number];

/** Which of its tools it called, and with what. */
export interface OrchestratorAnswer {
  readonly tool: string;
  readonly value: unknown;
}

/** A call that is no answer to the event itself yet: it is carried out, and the event is put again. */
export interface ExecutedCall {
  readonly orchestrator: string;
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly value: unknown;
  /** The message that led to it, for the graph. */
  readonly inReplyTo: string | null;
}

/** The result, for the orchestrator. */
export interface Outcome {
  readonly reply: PromptText;
  /** The event that reports it after a question is settled. Default: the one it was woken with. */
  readonly event?: OrchestratorEvent;
}
