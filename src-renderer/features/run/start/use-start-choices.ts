import { useEffect, useState } from "react";
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
    panel: { mode: "auto", count: 4, threshold: null, strategy: "dedicated_validators", models: [] },
    models: { orchestrator: model, agent: model, integrator: model, validator: model },
    efforts: { orchestrator: null, agent: null, integrator: null, validator: null },
    known: [],
    last: null,
    untrusted: [],
  };
}
