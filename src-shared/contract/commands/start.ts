import { z } from "zod";
import type { Effort } from "../../domain/conversation/conversation.ts";
import { parseIssueReference } from "../../domain/forge/forge-address.ts";
import type { ForgeKind } from "../../domain/forge/forge-facts.ts";
import type { Budget } from "../../domain/spending/budget.ts";
import { maxTemplateLength, templateNameProblem } from "../../domain/start/goal-template.ts";
import type { PanelRules, ValidationStrategy, ValidatorChoice } from "../../domain/validation/panel.ts";
import type { AgentView } from "../../domain/worker/agent-capabilities.ts";
import { line } from "../fields.ts";
import { answers, nothing, repositoryCommand } from "./command.ts";

const templateName = line(60).refine(
  (name) => templateNameProblem(name) === null,
  "is not a valid template name",
);

/** Roles whose model the user may choose for one run. */
export const startRoles = ["orchestrator", "agent", "integrator", "validator"] as const;
export type StartRole = (typeof startRoles)[number];

export type ModelsByRole = Readonly<Partial<Record<StartRole, string>>>;
export type EffortByRole = Readonly<Partial<Record<StartRole, Effort>>>;

/** The choices for starting a run, and their defaults. */
export interface StartChoicesView {
  readonly limits: Budget;
  /** Of each agent on its task, as configured. */
  readonly maxIterations: number;
  readonly isQuick: boolean;
  /** Label of the workers on which agents work, as configured; empty: this machine. */
  readonly on: string;
  /** Who judges a result, as configured. */
  readonly panel: Omit<PanelRules, "isQuick"> & {
    readonly strategy: ValidationStrategy;
    /** `validation.models`: validators take them in turn; empty: all use the validator's model. */
    readonly models: readonly string[];
  };
  /** As configured, for each role. */
  readonly models: Readonly<Record<StartRole, string>>;
  readonly efforts: Readonly<Record<StartRole, Effort | null>>;
  /** Agents of other makes, which can be named before a model. */
  readonly agents: readonly (AgentView & { readonly name: string })[];
  /** Models with a known price; others cannot be paid for. */
  readonly known: readonly { readonly name: string; readonly hasEffort: boolean }[];
  /** What the last run of this repository was started with; null where there was none. */
  readonly last: {
    readonly isQuick: boolean;
    readonly attempts: number;
    readonly validators?: ValidatorChoice | undefined;
    readonly models: ModelsByRole;
    readonly efforts: EffortByRole;
    readonly limits: Budget;
  } | null;
  readonly untrusted: readonly UntrustedSetting[];
}

/** A setting of the repository that is not in force, because it loosens a limit and the user has not trusted it. */
export interface UntrustedSetting {
  /** As in `gates.land`. */
  readonly key: string;
  /** Key and value as they are shown and trusted: another value is another text, and is asked about again. */
  readonly text: string;
  /** What it would allow, as a sentence. */
  readonly allows: string;
  /** The user has seen it, and does not want to be asked again. */
  readonly isIgnored: boolean;
}

/** Whether a model answers to the key that is in use. */
export interface ModelCheckView {
  readonly outcome: "ok" | "refused" | "unreachable";
  readonly words: string;
  readonly remedy: string | null;
}

/** An issue as a list shows it. Title and labels are others' words. */
export interface IssueView {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
}

/** Issues that a run can begin from; `no-forge`: the repository has no remote on GitHub or GitLab. */
export type IssuesView =
  | {
      readonly kind: "found";
      readonly forge: ForgeKind;
      readonly repository: string;
      readonly issues: readonly IssueView[];
      /** Other words would find more. */
      readonly hasMore: boolean;
      /** How to get a token; null: there is one. */
      readonly noToken: string | null;
    }
  | { readonly kind: "no-forge"; readonly reason: string; readonly remedy: string };

/** What a run is given that begins from an issue. */
export interface StartIssueView {
  readonly issue: Pick<IssueView, "number" | "url" | "title">;
  readonly isOpen: boolean;
  readonly goal: string;
  /** Its text and comments, quoted, as a file that agents can read. `data` is Base64. */
  readonly attachment: { readonly name: string; readonly data: string };
}

export interface GoalTemplateView {
  readonly name: string;
  readonly text: string;
}

/** What is needed to start a run: what there is to choose, and what it would be. */
export const startCommands = {
  "start.choices": repositoryCommand({}, answers<StartChoicesView>()),
  /** Trusts or ignores settings of the repository that are not in force, named by their texts. */
  "start.answerSettings": repositoryCommand(
    {
      texts: z.array(z.string().max(10_000)).max(1_000),
      answer: z.enum(["trust", "ignore"]),
    },
    nothing,
  ),
  /** Asks the provider whether it has the model for the key in use. Costs nothing. */
  "start.checkModel": repositoryCommand({ model: line(100).min(1) }, answers<ModelCheckView>()),
  /** Files of what a run would build on whose path holds what was typed; those whose name begins with it first. */
  "start.files": repositoryCommand(
    { typed: z.string().max(300), most: z.number().int().min(1).max(50).default(12) },
    answers<readonly string[]>(),
  ),
  /** Asks the forge: words search open issues, a number or URL names one. */
  "start.issues": repositoryCommand({ typed: line(2_000) }, answers<IssuesView>()),
  /** Reads one, by number or URL, for a run that begins from it. */
  "start.issue": repositoryCommand(
    {
      issue: line(2_000).refine(
        (typed) => parseIssueReference(typed) !== null,
        "is neither the number nor the URL of an issue",
      ),
    },
    answers<StartIssueView>(),
  ),
  "start.templates": repositoryCommand({}, answers<readonly GoalTemplateView[]>()),
  /** Writes `.hox/templates/<name>.md`. */
  "start.saveTemplate": repositoryCommand(
    { name: templateName, text: z.string().trim().min(1).max(maxTemplateLength) },
    nothing,
  ),
  "start.removeTemplate": repositoryCommand({ name: templateName }, nothing),
};
