import type { ComplianceStatus } from "../../domain/decision/compliance.ts";

/** A mutation that binds all below it, and who follows it. */
export interface DecisionView {
  readonly changeId: string;
  readonly orchestrator: string;
  readonly title: string;
  readonly reason: string;
  readonly files: readonly string[];
  /** One for each worker that has started below it. */
  readonly compliance: readonly ComplianceStatus[];
}
