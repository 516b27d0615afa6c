/** Who judges a change for which there is no run, by the settings as they are. */
import { type Panel, panelFor } from "#shared/domain/validation/panel.ts";
import type { PanelMakeup } from "#shared/domain/validation/panel-trust.ts";
import type { Config } from "../../../../config/config-interface.ts";

/** All seats: whoever asks for a verdict wants the whole panel. Without a run there are no peers and nothing to compare. */
export function panelNow(
  { config, model }: { readonly config: Config; readonly model: string },
  hasDecisions: boolean,
): Panel {
  const { strategy, validatorCount, models } = config.validation;
  const panel = panelFor({
    ...{ strategy, seats: validatorCount, models, hasDecisions },
    authors: [],
    earlierRuns: 0,
  });
  return { ...panel, seats: panel.seats.map((seat) => ({ ...seat, model: seat.model ?? model })) };
}

export const makeupOf = ({ strategy, seats }: Panel, model: string): PanelMakeup => ({
  strategy,
  seats: seats.map((seat) => ({ seat: seat.name, evidence: seat.evidence, model: seat.model ?? model })),
});
