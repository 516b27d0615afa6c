/** The decisions that were applied in a run, and how all work complies with them. */
import type { AnyEvent } from "../any-event.ts";
import type { ComplianceStatus, DecisionNames } from "./compliance.ts";
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

/** What somebody wants to decide, and what led to it. The contents of its files are kept as a step. Plain JSON. */
export interface ProposedDecision {
  /** Unique in the run, and the same after a restart. */
  readonly id: string;
  readonly orchestrator: string;
  readonly title: string;
  readonly reason: string;
  /** Change id of the message that led to it; null where an event did. */
  readonly inReplyTo: string | null;
}

/** A proposal on its way: waiting for approval, to be applied, to be compared with everybody's work, done. */
export interface Proposal {
  readonly proposed: ProposedDecision;
  readonly state:
    | { readonly kind: "proposed" }
    | { readonly kind: "rejected"; readonly reason: string }
    | { readonly kind: "approved" }
    | { readonly kind: "applied"; readonly changeId: string }
    /** Workers whose work contradicts it. */
    | { readonly kind: "surveyed"; readonly contradicted: readonly string[] };
  /** Roots of other runs to which the user puts it as well. Absent: none. */
  readonly also?: readonly string[];
}

export interface Decisions {
  /** By their ids, the first first. */
  readonly proposals: Readonly<Record<string, Proposal>>;
  /** The first first. */
  readonly decisions: readonly DecisionRecord[];
  /** Decision's change id → worker → its compliance. */
  readonly compliance: Readonly<Record<string, Readonly<Record<string, ComplianceStatus>>>>;
}

export const noDecisions: Decisions = { proposals: {}, decisions: [], compliance: {} };

export type DecisionEvent =
  | { readonly kind: "DecisionProposed"; readonly proposed: ProposedDecision }
  | { readonly kind: "DecisionApproved"; readonly proposal: string; readonly also?: readonly string[] }
  | { readonly kind: "DecisionRejected"; readonly proposal: string; readonly reason: string }
  /** `proposal` is null for what a tool decides without asking. */
  | { readonly kind: "DecisionApplied"; readonly decision: DecisionRecord; readonly proposal: string | null }
  /** Everybody's work was compared with it. */
  | {
      readonly kind: "DecisionSurveyed";
      readonly proposal: string;
      readonly contradicted: readonly string[];
    }
  /** The user abandoned them, so they are no longer binding. Change ids. */
  | { readonly kind: "DecisionsWithdrawn"; readonly decisions: readonly string[] }
  /** A worker's compliance with one of them was checked. */
  | { readonly kind: "ComplianceJudged"; readonly decision: string; readonly compliance: ComplianceStatus };

/** Adds an event. A decision is applied once, and a verdict that was known already changes nothing. */
export function reduceDecisions(before: Decisions, given: DecisionEvent | AnyEvent): Decisions {
  const event = given as DecisionEvent;
  const { decisions, compliance } = before;
  switch (event.kind) {
    case "DecisionProposed": {
      const { proposed } = event;
      if (Object.hasOwn(before.proposals, proposed.id)) return before;
      const proposal: Proposal = { proposed, state: { kind: "proposed" } };
      return { ...before, proposals: { ...before.proposals, [proposed.id]: proposal } };
    }
    case "DecisionApproved":
      return moved(before, event.proposal, "proposed", { kind: "approved" }, event.also);
    case "DecisionRejected": {
      const rejected = { kind: "rejected", reason: event.reason } as const;
      // Approved, it is rejected where it does not fit what was decided meanwhile.
      const next = moved(before, event.proposal, "proposed", rejected);
      return moved(next, event.proposal, "approved", rejected);
    }
    case "DecisionApplied": {
      const { changeId } = event.decision;
      const next = moved(before, event.proposal, "approved", { kind: "applied", changeId });
      return decisions.some((one) => one.changeId === changeId)
        ? next
        : { ...next, decisions: [...decisions, event.decision] };
    }
    case "DecisionSurveyed": {
      const { contradicted } = event;
      return moved(before, event.proposal, "applied", { kind: "surveyed", contradicted });
    }
    case "DecisionsWithdrawn": {
      const isGone = (changeId: string): boolean => event.decisions.includes(changeId);
      if (!decisions.some((one) => isGone(one.changeId))) return before;
      return {
        ...before,
        decisions: decisions.filter((one) => !isGone(one.changeId)),
        compliance: Object.fromEntries(Object.entries(compliance).filter(([changeId]) => !isGone(changeId))),
      };
    }
    case "ComplianceJudged": {
      const known = compliance[event.decision] ?? {};
      const { compliance: judged } = event;
      if (JSON.stringify(known[judged.worker]) === JSON.stringify(judged)) return before;
      return {
        ...before,
        compliance: { ...compliance, [event.decision]: { ...known, [judged.worker]: judged } },
      };
    }
    default:
      return before;
  }
}

/** A proposal takes its steps in order, each once. */
function moved(
  before: Decisions,
  id: string | null,
  from: Proposal["state"]["kind"],
  state: Proposal["state"],
  also?: readonly string[],
): Decisions {
  const proposal = id !== null && Object.hasOwn(before.proposals, id) ? before.proposals[id] : undefined;
  if (id === null || proposal?.state.kind !== from) return before;
  return {
    ...before,
    proposals: { ...before.proposals, [id]: { ...proposal, state, ...(also ? { also } : {}) } },
  };
}
