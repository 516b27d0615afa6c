import type { RunView } from "#shared/contract/views/run.ts";
import {
  type Archangel,
  type ArchangelView,
  archangelWorker,
  nothingDelivered,
} from "#shared/domain/archangel/archangel.ts";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import { shownPurpose } from "../../../../config/archangel-purpose.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import type { Config } from "../../../../config/config-interface.ts";
import { perRun } from "../../../kernel/once.ts";
import type { Run } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";
import { spentBudgetOf } from "../../../workers/worker-limits.ts";
import { watchBudget } from "./watch-budget.ts";

type Views = Pick<RunView, "archangels" | "watchBudget">;

/** Files are read when the settings change. */
const settingsIn = perRun(({ repository: { root } }: Run) => {
  const read = new WeakMap<Config, readonly (readonly [Archangel, Settings])[]>();
  return (config: Config) => {
    const set = read.get(config) ?? archangelsOf(config).map((one) => [one, settingsOf(one, root)] as const);
    read.set(config, set);
    return set;
  };
});

/** What a screen shows of archangels. Asked often. */
export const archangelViews = (run: Run): Views => ({
  archangels: settingsIn(run)(run.config).map(([archangel, settings]) => viewIn(run, archangel, settings)),
  ...(isWatch(run) ? { watchBudget: watchBudget(run) } : {}),
});

/** Without an active run. */
export const archangelsAtRest = (config: Config, repository: string, model: string): ArchangelView[] =>
  archangelsOf(config).map((archangel) => ({
    ...settingsOf(archangel, repository),
    model: archangel.model ?? config.fold.firstReviewer ?? model,
    spent: nothingSpent,
    state: archangel.isOn ? "sleeping" : "off",
    delivery: nothingDelivered,
  }));

type Settings = Omit<ArchangelView, "model" | "spent" | "state" | "delivery">;

const settingsOf = (
  { name, isOn, purpose, paths, wakes, microDollars, tokens }: Archangel,
  repository: string,
): Settings => ({
  name,
  worker: archangelWorker(name),
  isOn,
  purpose: shownPurpose(purpose, repository),
  paths,
  wakes,
  microDollars,
  tokens,
});

function viewIn(run: Run, archangel: Archangel, settings: Settings): ArchangelView {
  const name = archangelWorker(archangel.name);
  const worker = run.workers.get(name);
  const { delivered } = run.facts.archangels;
  const spent: Spent = run.spending.byWorker.get(name) ?? nothingSpent;
  const state = (): ArchangelView["state"] => {
    if (!archangel.isOn) return "off";
    if (worker === undefined) return "sleeping";
    if (spentBudgetOf(run, name) === name) return "spent";
    return worker.state === "thinking" || worker.state === "tools" ? "thinking" : "sleeping";
  };
  return {
    ...settings,
    model: archangel.model ?? run.config.fold.firstReviewer ?? run.model,
    spent,
    state: state(),
    delivery:
      (Object.hasOwn(delivered, archangel.name) ? delivered[archangel.name]?.delivery : null) ??
      nothingDelivered,
  };
}
