/** Whether the canvas of an active run shows a part's proposed plan in place of the run. */
import { create } from "zustand";
import { useHost } from "./host-store.ts";
import { useShownDraft } from "./plan-draft.ts";

const useWanted = create<{ readonly item: string | null }>(() => ({ item: null }));

/** @param item id of the card whose plan is to be seen; null: the run again */
export const showPlanInRun = (item: string | null): void => useWanted.setState({ item });

export function usePlanInRun(): boolean {
  const wanted = useWanted(({ item }) => item);
  const shown = useShownDraft()?.item ?? null;
  const isItsRun = useHost(({ run }) => run?.planApproved === true && run.id === shown?.run);
  return isItsRun && shown !== null && shown.id === wanted;
}
