/** What wakes an orchestrator, and with which of its tools it may answer. */
import { z } from "zod";
import { plan } from "#shared/contract/plan-inputs.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { patternCategories } from "../../patterns/patterns-interface.ts";

export const planShape = plan;
export const answerShape = z.strictObject({
  agent: z.string().min(1).max(200),
  answer: z.string().min(1).max(20_000),
});
export const questionShape = z.strictObject({
  question: z.string().min(1).max(20_000),
  options: z.array(z.string().min(1).max(500)).max(8).default([]),
});
export const approvalShape = z.strictObject({ comment: z.string().max(4_000).default("") });
export const changesShape = z.strictObject({ reason: z.string().min(1).max(10_000) });
export const messageShape = z.strictObject({ text: z.string().min(1).max(10_000) });
export const reassignShape = z.strictObject({ brief: z.string().min(1).max(10_000) });
export const patternShape = z.strictObject({
  name: z.string().min(1).max(100),
  category: z.enum(patternCategories),
  confidence: z.number().min(0).max(1),
  markdown: z.string().min(1).max(20_000),
});

/** Adds to the plan what an event shows to be missing; the event is put again afterwards. */
const amendments = ["spawn_workers", "spawn_subtree"] as const;

/** Contracts are files like any other. */
const writing = ["write_file", "edit_file", "move_file", "delete_file"] as const;

/** What each event may be answered with; the first is what it is about. Reading is always allowed. */
export const answers = {
  plan: ["propose_plan"],
  "plan changed": ["propose_plan"],
  contracts: ["report_done", ...writing],
  "contracts in conflict": ["report_done", ...writing],
  "align-request": ["answer_agent", "ask_user", "propose_mutation"],
  "user answered": ["propose_mutation", "answer_agent"],
  "escalation answered": ["propose_mutation", "answer_agent"],
  message: ["report_done"],
  "user message": ["report_done", "propose_mutation", ...amendments],
  "mutation applied": ["answer_agent"],
  "mutation rejected": ["answer_agent", "propose_mutation"],
  "fold ready": ["approve_fold", "request_changes", "ask_user", "propose_mutation", ...amendments],
  "child stalled": ["message_agent", "reassign", "ask_user", "propose_mutation", ...amendments],
  "child silent": ["message_agent", "reassign", "ask_user", "propose_mutation", ...amendments],
  "child blocked": ["message_agent", "reassign", "ask_user", "propose_mutation", ...amendments],
  learn: ["propose_pattern", "report_done"],
} as const satisfies Record<string, readonly string[]>;
export type OrchestratorEvent = keyof typeof answers;

/**
 * Events that tell all that their answer needs: each is answered in a conversation of its own, not behind everything
 * that was said before. What came of them is told with the next event.
 */
export const answeredApart: ReadonlySet<OrchestratorEvent> = new Set(["fold ready"]);

export interface OrchestratorAnswer {
  readonly tool: string;
  readonly value: unknown;
}

/**
 * Names of the tools that an event may be answered with. What the root asks the user, an orchestrator below it asks
 * its parent. (HYLO-2)
 */
export const answersTo = (orchestrator: string, event: OrchestratorEvent): readonly string[] =>
  answers[event].map((tool) =>
    tool === "ask_user" && orchestrator !== rootOrchestrator ? "escalate" : tool,
  );
