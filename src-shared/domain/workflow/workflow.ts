/** The optional stages of a run's workflow: what each does and when it is on. (docs/decisions/0012) */

export const workflowStages = ["contracts", "reviews", "integrator", "panel", "learning"] as const;
export type WorkflowStage = (typeof workflowStages)[number];

/** "auto" leaves the stage to its condition. */
export const stageModes = ["auto", "on", "off"] as const;
export type StageMode = (typeof stageModes)[number];

interface StageText {
  readonly label: string;
  /** When the stage is on in mode "auto". */
  readonly condition: string;
  /** The stage in each mode, in a few words. */
  readonly modes: Readonly<Record<StageMode, string>>;
}

export const stageTexts: Readonly<Record<WorkflowStage, StageText>> = {
  contracts: {
    label: "Contracts",
    condition: "On when two or more tasks use the same contract file.",
    modes: { auto: "contracts if shared", on: "contracts first", off: "no contracts" },
  },
  reviews: {
    label: "Reviews",
    condition:
      "On when tasks build on each other or share a contract; otherwise for work that leaves its task, meets other work, or is large or risky.",
    modes: { auto: "reviews if needed", on: "each task reviewed", off: "result reviewed as a whole" },
  },
  integrator: {
    label: "Integrator",
    condition: "On when the merge leaves a conflict, a failed check or a symbol that two tasks changed.",
    modes: { auto: "integrator if needed", on: "integrator", off: "no integrator" },
  },
  panel: {
    label: "Validators",
    condition: "A panel when the result is large, risky or was rejected before; otherwise one validator.",
    modes: { auto: "panel if large or risky", on: "panel of validators", off: "one validator" },
  },
  learning: {
    label: "Learning",
    condition: "On after a conflict, a repair, a question, an override or a rejected review.",
    modes: { auto: "learning if there is something to learn", on: "learning", off: "no learning" },
  },
};

export interface StageDecision {
  readonly mode: StageMode;
  readonly by: "condition" | "planner" | "user" | "quick" | "configuration";
  /** One sentence; may contain a model's words. */
  readonly reason: string;
}

export type Workflow = Readonly<Record<WorkflowStage, StageDecision>>;

/** `[workflow]` in the configuration, as far as it sets stages. */
export type WorkflowSettings = Readonly<Record<WorkflowStage, StageMode>>;

/** A stage's setting in a plan. */
export interface StageChoice {
  readonly mode: "on" | "off";
  readonly reason?: string | undefined;
  /** Absent: the plan's author. */
  readonly by?: "user" | undefined;
}

export type WorkflowChoices = Readonly<Partial<Record<WorkflowStage, StageChoice | undefined>>>;

/** A workflow from one decision per stage. */
export function eachStage<Value>(decide: (stage: WorkflowStage) => Value): Record<WorkflowStage, Value> {
  return {
    contracts: decide("contracts"),
    reviews: decide("reviews"),
    integrator: decide("integrator"),
    panel: decide("panel"),
    learning: decide("learning"),
  };
}

/** Every stage depends on its condition; used before a plan is approved. */
export const undecidedWorkflow: Workflow = eachStage((stage) => ({
  mode: "auto",
  by: "condition",
  reason: stageTexts[stage].condition,
}));

/** The settings that a workflow was decided with. */
export const settingsOf = (workflow: Workflow): WorkflowSettings =>
  eachStage((stage) => (workflow[stage].by === "configuration" ? workflow[stage].mode : "auto"));

/** The decision for one stage: the configuration's, otherwise the choice in the plan, otherwise the condition's. */
export function decideStage(
  stage: WorkflowStage,
  setting: StageMode,
  choice: StageChoice | undefined,
  byCondition: StageDecision,
): StageDecision {
  if (setting !== "auto")
    return {
      mode: setting,
      by: "configuration",
      reason: `Set in .hox/config.toml (workflow.${stage}).`,
    };
  if (choice === undefined) return byCondition;
  return choice.by === "user"
    ? { mode: choice.mode, by: "user", reason: choice.reason || "You chose it." }
    : { mode: choice.mode, by: "planner", reason: choice.reason || "The planner asked for it." };
}

/** Whether validators judge the run's result. A quick run has none by default. */
export const hasValidators = ({ panel }: Workflow): boolean => panel.by !== "quick";

/** Seats to draw before validators start: a default panel has four. */
export const expectedSeats = (workflow: Workflow): number =>
  hasValidators(workflow) ? (workflow.panel.mode === "off" ? 1 : 4) : 0;

/** Whether two workflows are equal. */
export const isSameWorkflow = (one: Workflow | null, other: Workflow | null): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    workflowStages.every(
      (stage) =>
        one[stage].mode === other[stage].mode &&
        one[stage].by === other[stage].by &&
        one[stage].reason === other[stage].reason,
    ));

/** One stage in a few words. */
export const formatStage = (stage: WorkflowStage, { mode, by }: Omit<StageDecision, "reason">): string =>
  stage === "panel" && by === "quick" ? "no validators" : stageTexts[stage].modes[mode];

/** All stages in one line. */
export const formatWorkflow = (workflow: Workflow): string =>
  workflowStages.map((stage) => formatStage(stage, workflow[stage])).join(", ");

/** A line for each stage: its mode as the configuration and the terminal take it, and the reason. */
export const workflowReasons = (workflow: Workflow): readonly string[] =>
  workflowStages.map((stage) => `${stage} ${workflow[stage].mode}: ${workflow[stage].reason}`);
