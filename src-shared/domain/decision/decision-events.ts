/** The decisions that were applied in a run, and how all work complies with them. */
import type { AnyEvent } from "../any-event.ts";
import type { DecisionNames } from "./compliance.ts";
import type { ComplianceStatus } from "./compliance-status.ts";
import type { DecisionEdit } from "./decision-edit.ts";

/** A mutation that was applied. Plain JSON. */
export interface DecisionRecord {
  /** Whose decision it is: it binds everything below its base. */
  readonly orchestrator: string;
  readonly changeId: string;
  readonly title: string;
  readonly reason: string;
  readonly files: readonly string[];
  /** Workers whose work it contradicted. */
  readonly contradicted: readonly string[];
  /** What it asks of its files. Absent where it is inherited alone, and binds by conflicts only. */
  readonly edits?: readonly DecisionEdit[];
  readonly names?: DecisionNames;
}

export interface Decisions {
  /** The first first. */
  readonly decisions: readonly DecisionRecord[];
  /** Decision's change id → worker → its compliance. */
  readonly compliance: Readonly<Record<string, Readonly<Record<string, ComplianceStatus>>>>;
}

export const noDecisions: Decisions = { decisions: [], compliance: {} };

export type DecisionEvent =
  | { readonly kind: "DecisionApplied"; readonly decision: DecisionRecord }
  /** The user abandoned them, so they are no longer binding. Change ids. */
  | { readonly kind: "DecisionsWithdrawn"; readonly decisions: readonly string[] }
  /** A worker's compliance with one of them was checked. */
  | { readonly kind: "ComplianceJudged"; readonly decision: string; readonly compliance: ComplianceStatus };

/** Adds an event. A decision is applied once, and a verdict that was known already changes nothing. */
export function reduceDecisions(before: Decisions, given: DecisionEvent | AnyEvent): Decisions {
  const event = given as DecisionEvent;
  const { decisions, compliance } = before;
  switch (event.kind) {
    case "DecisionApplied":
      return decisions.some((one) => one.changeId === event.decision.changeId)
        ? before
        : { compliance, decisions: [...decisions, event.decision] };
    case "DecisionsWithdrawn": {
      const isGone = (changeId: string): boolean => event.decisions.includes(changeId);
      if (!decisions.some((one) => isGone(one.changeId))) return before;
      return {
        decisions: decisions.filter((one) => !isGone(one.changeId)),
        compliance: Object.fromEntries(Object.entries(compliance).filter(([changeId]) => !isGone(changeId))),
      };
    }
    case "ComplianceJudged": {
      const known = compliance[event.decision] ?? {};
      const { compliance: judged } = event;
      if (JSON.stringify(known[judged.worker]) === JSON.stringify(judged)) return before;
      return {
        decisions,
        compliance: { ...compliance, [event.decision]: { ...known, [judged.worker]: judged } },
      };
    }
    default:
      return before;
  }
}
