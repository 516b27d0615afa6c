import { useEffect, useState } from "react";
import type { CommandInput } from "#shared/contract/commands.ts";
import type { RunForecastView } from "#shared/contract/views/forecast.ts";
import type { StartChoicesView } from "#shared/contract/views/start.ts";
import { client } from "../../../client.ts";
import { useHost } from "../../../state/host-store.ts";
import { useReconnects } from "../../../state/use-loaded.ts";

/** What there is to choose; null until it is known. */
export function useStartChoices(): StartChoicesView | null {
  const [choices, setChoices] = useState<StartChoicesView | null>(null);
  const reconnects = useReconnects();
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are read again with the host
  useEffect(() => {
    let isShown = true;
    client.start.choices().then(
      (found) => {
        if (isShown) setChoices(found);
      },
      () => {
        // Without an engine nothing can be started, and the start itself says why.
        if (isShown) setChoices((before) => before ?? withoutEngine());
      },
    );
    return () => {
      isShown = false;
    };
  }, [reconnects]);
  return choices;
}

function withoutEngine(): StartChoicesView {
  const {
    defaultTokens = null,
    defaultMicroDollars = null,
    model = "",
  } = useHost.getState().app?.settings ?? {};
  return {
    limits: { tokens: defaultTokens, microDollars: defaultMicroDollars },
    maxIterations: 20,
    isQuick: false,
    panel: { mode: "auto", count: 4, threshold: null, strategy: "dedicated_validators" },
    models: { orchestrator: model, agent: model, integrator: model, validator: model },
    efforts: { orchestrator: null, agent: null, integrator: null, validator: null },
    known: [],
    last: null,
    untrusted: [],
  };
}

/** Typing a model's name asks once it rests. */
const askAfterMs = 250;

/** What such a run will take; null until it is known, "failed" where nothing can be said of it. */
export type SoughtForecast = RunForecastView | "failed" | null;

/** Asks for what such a run will take, each time it is another one. */
export function useRunForecast(wanted: CommandInput<"run.forecast">): SoughtForecast {
  const { quick, model, attempts, validators, validatorModel } = wanted;
  const [forecast, setForecast] = useState<SoughtForecast>(null);
  const reconnects = useReconnects();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked for again with the host
  useEffect(() => {
    if (model === "") return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      client.run.forecast({ quick, model, attempts, validators, validatorModel }).then(
        (found) => {
          if (isCurrent) setForecast(found);
        },
        // Nice to have: the run starts without it.
        () => {
          if (isCurrent) setForecast("failed");
        },
      );
    }, askAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [quick, model, attempts, validators, validatorModel, reconnects]);
  return forecast;
}
