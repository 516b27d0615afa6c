import type { StartChoicesView } from "#shared/contract/views/start.ts";
import { roughDollars } from "#shared/domain/forecast/forecast-words.ts";
import { panelUse, type ValidatorChoice } from "#shared/domain/validation/panel-choice.ts";
import { approvalsNeeded } from "#shared/domain/validation/quorum.ts";
import { Segmented } from "../../../kit/segmented.tsx";
import type { SoughtForecast } from "./use-start-choices.ts";

interface ValidatorsFieldProps {
  readonly panel: StartChoicesView["panel"];
  readonly forecast: SoughtForecast;
  /** A quick run has no validators. */
  readonly isQuick: boolean;
  /** Undefined: automatic. */
  readonly validators: ValidatorChoice | undefined;
  readonly setValidators: (choice: ValidatorChoice | undefined) => void;
}

/** Who judges the result, with the forecast cost of each choice. */
export function ValidatorsField({
  panel,
  forecast,
  isQuick,
  validators: chosen,
  setValidators,
}: ValidatorsFieldProps) {
  const votes = forecast === null || forecast === "failed" ? null : forecast.votes;
  const { mode, count, threshold, strategy } = panel;
  const cost = (choice: ValidatorChoice): string =>
    votes === null ? "" : ` · ${roughDollars(votes[choice].microDollars.middle)}`;
  const automatic = votes === null ? "" : ` · ${roughDollars(votes.one.microDollars.middle)}+`;
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
            { value: "automatic", label: `Automatic${automatic}` },
            { value: "one", label: `One${cost("one")}` },
            { value: "panel", label: `Panel of ${count}${cost("panel")}` },
          ]}
        />
      </div>
      <p className="min-h-10 text-sm text-muted">
        {hintFor(chosen, count, approvalsNeeded(count, threshold))}
        {chosen === "panel" && strategyText[strategy]}
        {votes === null &&
          ` No vote was measured here yet: a panel costs about ${count} times one validator.`}
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
  peer_review: " The agents judge each other's work.",
  historical_compare: " They compare it with earlier runs.",
};
