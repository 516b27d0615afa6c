import type { ArchangelView, CommentView } from "#shared/contract/views/archangel.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { type Archangel, archangelWorker, nothingDelivered } from "#shared/domain/archangel/archangel.ts";
import type { CommentRecord } from "#shared/domain/archangel/archangel-records.ts";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import { shownPurpose } from "../../../../config/archangel-purpose.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import type { Config } from "../../../../config/config-interface.ts";
import type { Run } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";
import { spentBudgetOf } from "../../../workers/worker-limits.ts";
import { watchBudget } from "./watch-budget.ts";

type Views = Required<Pick<RunView, "archangels" | "comments" | "suggestions">> &
  Pick<RunView, "watchBudget">;

/** Views of archangels and their comments. Computed often: files are read when the settings change. */
export function archangelViews(run: Run): () => Views {
  let read: { readonly config: Config; readonly set: readonly (readonly [Archangel, Settings])[] } | null =
    null;
  return () => {
    const { config, facts } = run;
    if (read?.config !== config)
      read = {
        config,
        set: archangelsOf(config).map((one) => [one, settingsOf(one, run.repository.root)] as const),
      };
    return {
      archangels: read.set.map(([archangel, settings]) => viewIn(run, archangel, settings)),
      comments: facts.archangels.comments.map(commentView),
      suggestions: facts.archangels.suggestions,
      ...(isWatch(run) ? { watchBudget: watchBudget(run) } : {}),
    };
  };
}

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

const commentView = ({ seenReplies: _, placedIn: __, ...comment }: CommentRecord): CommentView => comment;
