import { expect, test } from "vitest";
import { features } from "../features.ts";
import { type OrchestratorEvent, orchestratorEvents } from "../orchestrator-protocol.ts";
import { answersTo, handlerFor } from "./orchestrator-tools.ts";

const amendments = ["spawn_workers", "spawn_subtree"];
const files = ["write_file", "edit_file", "move_file", "delete_file"];
const inNeed = ["message_agent", "reassign", "ask_user", "propose_mutation", ...amendments];

/** The protocol as the prompts tell it, the answer that an event is about first. */
const protocol: Readonly<Record<OrchestratorEvent, readonly string[]>> = {
  plan: ["propose_plan"],
  "plan changed": ["propose_plan"],
  contracts: ["report_done", ...files],
  "contracts in conflict": ["report_done", ...files],
  "align-request": ["answer_agent", "ask_user", "propose_mutation"],
  "user answered": ["propose_mutation", "answer_agent"],
  "escalation answered": ["propose_mutation", "answer_agent"],
  message: ["report_done"],
  "user message": ["report_done", "propose_mutation", ...amendments],
  "mutation applied": ["answer_agent"],
  "mutation rejected": ["answer_agent", "propose_mutation"],
  "merge request ready": [
    "approve_merge_request",
    "request_changes",
    "ask_user",
    "propose_mutation",
    ...amendments,
    "take_suggestion",
  ],
  "child stalled": inNeed,
  "child silent": inNeed,
  "child blocked": inNeed,
  "conflict forecast": ["report_done", "let_wait", "propose_mutation", ...amendments],
  learn: ["propose_pattern", "report_done"],
};

test("the capabilities' answers form the protocol, and below the root a parent is asked instead of the user", () => {
  for (const event of orchestratorEvents) {
    expect([event, ...answersTo({ features }, "O-A-1", event)]).toEqual([event, ...protocol[event]]);
    expect(answersTo({ features }, "O-B-1", event)).toEqual(
      protocol[event].map((tool) => (tool === "ask_user" ? "escalate" : tool)),
    );
  }
});

test("decisions and additions to the plan are executed before the event is answered", () => {
  const tools = new Set(orchestratorEvents.flatMap((event) => answersTo({ features }, "O-A-1", event)));
  expect([...tools].filter((tool) => handlerFor({ features }, tool) !== null).toSorted()).toEqual([
    "propose_mutation",
    ...amendments.toSorted(),
    "take_suggestion",
  ]);
});
