import { useState } from "react";
import type {
  EffortByRole,
  ModelsByRole,
  StartChoicesView,
  StartRole,
} from "#shared/contract/views/start.ts";
import type { Effort } from "#shared/domain/conversation/effort.ts";

/** What is kept of a choice that says the same as the configuration: nothing. */
function without<Value>(
  values: Readonly<Partial<Record<StartRole, Value>>>,
  role: StartRole,
): Readonly<Partial<Record<StartRole, Value>>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== role));
}

/**
 * How the run is done; the choices of the last run are preset.
 * @param wantsQuick what the caller suggests; null: no preference
 */
export function useStartForm(choices: StartChoicesView, wantsQuick: boolean | null) {
  const { last } = choices;
  const [isQuick, setIsQuick] = useState(wantsQuick ?? last?.isQuick ?? choices.isQuick);
  const [attempts, setAttempts] = useState(last?.attempts ?? 1);
  const [validators, setValidators] = useState(
    choices.panel.mode === "auto" && choices.panel.count > 1 ? last?.validators : undefined,
  );
  const [models, setModels] = useState<ModelsByRole>(() => keptModels(choices));
  const [effortByRole, setEfforts] = useState<EffortByRole>(last?.efforts ?? {});
  return {
    isQuick,
    setIsQuick,
    attempts,
    setAttempts,
    validators,
    setValidators,
    models,
    effortByRole,
    setModel(role: StartRole, model: string): void {
      setModels((before) =>
        model === choices.models[role] ? without(before, role) : { ...before, [role]: model },
      );
    },
    setEffort(role: StartRole, effort: Effort | null): void {
      setEfforts((before) => (effort === null ? without(before, role) : { ...before, [role]: effort }));
    },
    /** As the run takes them. */
    input() {
      const { agent = null, ...others } = models;
      return {
        model: agent,
        quick: isQuick,
        attempts,
        ...(isQuick || validators === undefined ? {} : { validators }),
        ...(isQuick || Object.keys(others).length === 0 ? {} : { models: others }),
        ...(Object.keys(effortByRole).length === 0 ? {} : { efforts: effortByRole }),
      };
    },
  };
}

/** Those of the last run that are not as configured, and that can still be paid for. */
function keptModels({ last, models, known }: StartChoicesView): ModelsByRole {
  return Object.fromEntries(
    Object.entries(last?.models ?? {}).filter(
      ([role, model]) => model !== models[role as StartRole] && known.some(({ name }) => name === model),
    ),
  );
}
