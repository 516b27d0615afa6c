import type { ModelsByRole, StartChoicesView } from "#shared/contract/commands/start.ts";
import { costOf, type Forecast, roughDollars } from "#shared/domain/forecast/forecast.ts";
import { approvalsNeeded, panelUse, type ValidatorChoice } from "#shared/domain/validation/panel.ts";
import { Segmented } from "../../../kit/segmented.tsx";

interface ValidatorsFieldProps {
  readonly choices: Pick<StartChoicesView, "panel" | "models">;
  /** What a validator cost in earlier runs. */
  readonly forecasts: readonly Forecast[];
  /** As chosen for this run. */
  readonly models: ModelsByRole;
  /** A quick run has no validators. */
  readonly isQuick: boolean;
  /** Undefined: automatic. */
  readonly validators: ValidatorChoice | undefined;
  readonly setValidators: (choice: ValidatorChoice | undefined) => void;
}

/** Who judges the result, and what each choice usually costs. */
export function ValidatorsField({
  choices,
  forecasts,
  models,
  isQuick,
  validators: chosen,
  setValidators,
}: ValidatorsFieldProps) {
  const { mode, count, threshold, strategy } = choices.panel;
  const configured = choices.panel.models.length > 0 ? choices.panel.models : [choices.models.validator];
  const inTurn = models.validator === undefined ? configured : [models.validator];
  const cost = (validators: number, more = ""): string => {
    const seated = Array.from({ length: validators }, (_, at) => inTurn[at % inTurn.length] ?? "");
    const found = costOf(seated, forecasts);
    return found === null ? "" : ` · ${roughDollars(found)}${more}`;
  };
  if (isQuick) return null;
  if (mode !== "auto" || count === 1)
    return (
      <p className="text-sm text-muted">
        <span className="font-medium text-text">Validators</span>:{" "}
        {panelUse({ mode, count, threshold, isQuick: false }).text} Set in .hox/config.toml.
      </p>
    );
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-sm text-muted">Validators</span>
        <Segmented
          label="Validators"
          value={chosen ?? "automatic"}
          onChange={(value) => setValidators(value === "automatic" ? undefined : value)}
          options={[
            { value: "automatic", label: `Automatic${cost(1, "+")}` },
            { value: "one", label: `One${cost(1)}` },
            { value: "panel", label: `Panel of ${count}${cost(count)}` },
          ]}
        />
      </div>
      <p className="min-h-10 text-sm text-muted">
        {hintFor(chosen, count, approvalsNeeded(count, threshold))}
        {chosen === "panel" && strategyText[strategy]}
      </p>
    </div>
  );
}

function hintFor(chosen: ValidatorChoice | undefined, count: number, needed: number): string {
  if (chosen === "panel") return `${count} validators judge the result; ${needed} must approve.`;
  return chosen === "one"
    ? `One validator judges the result. After a rejection a panel of ${count} does.`
    : `One validator judges a small result, a panel of ${count} a large or risky one.`;
}

const strategyText: Readonly<Record<StartChoicesView["panel"]["strategy"], string>> = {
  dedicated_validators: "",
  peer_review: " The agents judge each other’s work.",
  historical_compare: " They compare it with earlier runs.",
};

/** With a plan, or one agent at once. */
export const HowToRun = ({
  isQuick,
  onQuick,
}: {
  readonly isQuick: boolean;
  readonly onQuick: (isQuick: boolean) => void;
}) => (
  <div className="flex flex-col gap-1">
    <Segmented
      label="How to run"
      value={isQuick ? "quick" : "planned"}
      onChange={(how) => onQuick(how === "quick")}
      options={[
        { value: "planned", label: "With a plan" },
        { value: "quick", label: "Quick: one agent" },
      ]}
    />
    <p className="min-h-10 text-sm text-muted">
      {isQuick
        ? "One agent starts immediately. No plan to approve and no votes: checks run, and you review the diff and land it."
        : "The planner reads the repository and proposes a plan. After you approve it, several agents work in parallel, and validators judge the result."}
    </p>
  </div>
);
