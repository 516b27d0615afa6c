/** What a draft needs beside its agents: a person's choices at once, soon after what the host says of the rest. */
import { create } from "zustand";
import type { Ceremony } from "#shared/domain/ceremony/ceremony-parts.ts";
import { withWishes } from "#shared/domain/ceremony/ceremony-rules.ts";
import { client } from "../client.ts";
import { shownDraft, usePlanDrafts } from "./plan-draft.ts";
import type { PlanDraft, PlanItem } from "./plan-item.ts";

/** By the id of the inbox item: what the host said last, and of which plan. */
const useAsked = create<{
  readonly byItem: ReadonlyMap<string, { readonly plan: PlanDraft["plan"]; readonly ceremony: Ceremony }>;
}>(() => ({ byItem: new Map() }));

const pauseMs = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Null without a card. */
export function useDraftCeremony(item: PlanItem | null, plan: PlanDraft["plan"]): Ceremony | null {
  const asked = useAsked(({ byItem }) => byItem.get(item?.id ?? ""));
  if (asked?.plan === plan) return asked.ceremony;
  const last = asked?.ceremony ?? item?.ceremony ?? null;
  return last === null ? null : withWishes(last, plan.ceremony);
}

/** Asks the host whenever the plan that is shown has come to rest. */
export function followShownPlanCeremony(): void {
  usePlanDrafts.subscribe((state) => {
    const draft = shownDraft(state);
    clearTimeout(timer);
    if (draft === null || draft.plan === draft.item.plan) return;
    if (useAsked.getState().byItem.get(draft.item.id)?.plan === draft.plan) return;
    timer = setTimeout(() => void ask(draft), pauseMs);
  });
}

async function ask({ item, plan }: PlanDraft): Promise<void> {
  try {
    const ceremony = await client.plan.ceremony({
      orchestrator: item.orchestrator,
      plan,
    });
    useAsked.setState(({ byItem }) => ({ byItem: new Map(byItem).set(item.id, { plan, ceremony }) }));
  } catch {
    // What was said last stays on screen; the host chooses again when the plan is approved.
  }
}
