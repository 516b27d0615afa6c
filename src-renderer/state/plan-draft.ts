/**
 * The plans that wait for approval, as a user has edited them. One draft for the card, the graph and the inspector; it
 * survives a reload. What the host shows as the proposal is never changed: it is what the edits are counted from.
 */
import { create } from "zustand";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { editPlanBy, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { useHost } from "./host-store.ts";
import { notify } from "./notify.ts";
import { isRefused } from "./role.ts";
import { isSameData } from "./structural-sharing.ts";

export type PlanItem = Extract<InboxItem, { kind: "plan" }>;

export interface PlanDraft {
  readonly item: PlanItem;
  readonly plan: Plan;
  /** Plans before the last edits, oldest first. */
  readonly past: readonly Plan[];
  /** Plans that were undone, the next one to come again last. */
  readonly future: readonly Plan[];
  /** What the last edit wrote: letters typed into one field are one step of undo. */
  readonly writing: string | null;
}

interface DraftState {
  /** Id of the inbox item → its draft, oldest first. */
  readonly drafts: ReadonlyMap<string, PlanDraft>;
  /** Id of the inbox item whose plan a user wants to see on the graph; null until they have chosen. */
  readonly chosen: string | null;
  /** Edits of a proposal that the planner has replaced. */
  readonly aside: { readonly run: string; readonly plan: Plan } | null;
}

const maxUndoSteps = 100;

export const usePlanDrafts = create<DraftState>(() => ({ drafts: new Map(), chosen: null, aside: null }));

/** Whether what would be approved differs from what was proposed. */
export const isEdited = ({ item, plan }: PlanDraft): boolean => !isSameData(plan, item.plan);

/** The drafts that belong to an inbox; edits of a proposal that is gone are set aside for the next one of its run. */
function draftsOf(state: DraftState, inbox: readonly InboxItem[]): DraftState {
  const items = inbox.filter((item): item is PlanItem => item.kind === "plan");
  const drafts = new Map<string, PlanDraft>();
  for (const item of items) {
    const known = state.drafts.get(item.id);
    if (known?.item.nonce === item.nonce)
      drafts.set(item.id, known.item === item ? known : { ...known, item });
    else
      drafts.set(item.id, { item, plan: item.plan, past: [], future: [], writing: null, ...keptDraft(item) });
  }
  let { aside } = state;
  for (const gone of state.drafts.values())
    if (drafts.get(gone.item.id)?.item.nonce !== gone.item.nonce && isEdited(gone))
      aside = { run: gone.item.run, plan: gone.plan };
  const same =
    aside === state.aside &&
    drafts.size === state.drafts.size &&
    [...drafts].every(([id, draft]) => state.drafts.get(id) === draft);
  return same ? state : { ...state, drafts, aside };
}

/** The number rises when the shape of a plan changes: what was kept in another shape is not read. */
const prefix = "hox.plan-draft.1.";
/** Steps of undo that outlive a reload. */
const keptSteps = 20;

type Kept = Pick<PlanDraft, "plan" | "past" | "future">;

// Only this window writes here, and the host parses the plan when it is approved.
const isPlan = (value: unknown): value is Plan =>
  typeof value === "object" && value !== null && "tasks" in value && Array.isArray(value.tasks);
const isKept = (value: unknown): value is Kept =>
  typeof value === "object" &&
  value !== null &&
  "plan" in value &&
  isPlan(value.plan) &&
  [Reflect.get(value, "past"), Reflect.get(value, "future")].every(
    (steps) => Array.isArray(steps) && steps.every(isPlan),
  );

const keyOf = ({ id, nonce }: Pick<PlanItem, "id" | "nonce">): string => `${prefix}${id} ${nonce}`;

/** The stored draft of exactly this proposal; null if there is none, or it cannot be read. */
function keptDraft(item: PlanItem): Kept | null {
  try {
    const text = globalThis.localStorage?.getItem(keyOf(item));
    if (text == null) return null;
    const found: unknown = JSON.parse(text);
    return isKept(found) ? found : null;
  } catch {
    // A page may be denied its storage; then a reload begins with the proposal.
    return null;
  }
}

function keepDraft({ item, plan, past, future }: PlanDraft): void {
  try {
    globalThis.localStorage?.setItem(
      keyOf(item),
      JSON.stringify({ plan, past: past.slice(-keptSteps), future: future.slice(-keptSteps) }),
    );
  } catch {
    // Full or denied: the edits stay in this window.
  }
}

function forgetDraft(item: PlanItem): void {
  try {
    globalThis.localStorage?.removeItem(keyOf(item));
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}

/** The host said what waits. */
export function takeInbox(inbox: readonly InboxItem[]): void {
  const before = usePlanDrafts.getState();
  const next = draftsOf(before, inbox);
  if (next === before) return;
  for (const [id, draft] of before.drafts) if (!next.drafts.has(id)) forgetDraft(draft.item);
  usePlanDrafts.setState(next);
}

/** A plan of the run was approved: what was set aside of earlier ones is of no use. */
export const forgetAside = (): void => usePlanDrafts.setState({ aside: null });

function put(draft: PlanDraft): void {
  keepDraft(draft);
  usePlanDrafts.setState((state) => ({ drafts: new Map(state.drafts).set(draft.item.id, draft) }));
}

/** The draft after edits; null when they are refused. Undo goes back to before all of them. */
function draftAfter(
  draft: PlanDraft,
  edits: readonly PlanEdit[],
): PlanDraft | { refused: string; remedy: string } {
  const result = editPlanBy(draft.plan, edits);
  if (result.kind === "refused") return { refused: result.reason, remedy: result.remedy };
  if (result.plan === draft.plan) return draft;
  const [only] = edits;
  const writing = edits.length === 1 && only ? writtenBy(only) : null;
  const goesOn = writing !== null && writing === draft.writing;
  return {
    ...draft,
    plan: result.plan,
    past: goesOn ? draft.past : [...draft.past, draft.plan].slice(-maxUndoSteps),
    future: [],
    writing,
  };
}

/** The field that an edit comes from when it is typed letter by letter. */
function writtenBy(edit: PlanEdit): string | null {
  if (edit.kind === "contracts" || edit.kind === "integration") return edit.kind;
  return edit.kind === "change" && !("priority" in edit.patch)
    ? `${edit.task} ${Object.keys(edit.patch).join()}`
    : null;
}

/** Edits the draft of an inbox item; answers whether that could be done, and tells when it could not. */
export function editDraft(id: string, ...edits: readonly PlanEdit[]): boolean {
  const draft = usePlanDrafts.getState().drafts.get(id);
  if (!draft || isRefused("inbox.answer")) return false;
  const next = draftAfter(draft, edits);
  if ("refused" in next) {
    notify("info", next.refused, next.remedy);
    return false;
  }
  if (next !== draft) put(next);
  return true;
}

export function undoEdit(id: string): void {
  const draft = usePlanDrafts.getState().drafts.get(id);
  const plan = draft?.past.at(-1);
  if (!draft || !plan) return;
  put({
    ...draft,
    plan,
    past: draft.past.slice(0, -1),
    future: [...draft.future, draft.plan],
    writing: null,
  });
}

export function redoEdit(id: string): void {
  const draft = usePlanDrafts.getState().drafts.get(id);
  const plan = draft?.future.at(-1);
  if (!draft || !plan) return;
  put({
    ...draft,
    plan,
    past: [...draft.past, draft.plan],
    future: draft.future.slice(0, -1),
    writing: null,
  });
}

/** Puts the edits of the proposal before in place of this one; one step of undo. */
export function takeAside(id: string): void {
  const { drafts, aside } = usePlanDrafts.getState();
  const draft = drafts.get(id);
  if (!draft || !aside) return;
  put({ ...draft, plan: aside.plan, past: [...draft.past, draft.plan], future: [], writing: null });
  forgetAside();
}

export const usePlanDraft = (id: string): PlanDraft | null =>
  usePlanDrafts((state) => state.drafts.get(id) ?? null);

/** The plan that the graph shows: the chosen one, and otherwise the one that has waited longest. */
export const shownDraft = ({ drafts, chosen }: DraftState): PlanDraft | null =>
  drafts.get(chosen ?? "") ?? drafts.values().next().value ?? null;
export const useShownDraft = (): PlanDraft | null => usePlanDrafts(shownDraft);

/** Puts the plan of another inbox item on the graph, as long as it waits. */
export const chooseDraft = (id: string): void => usePlanDrafts.setState({ chosen: id });

const useWanted = create<{ readonly item: string | null }>(() => ({ item: null }));

/**
 * Whether the canvas of an active run shows a part's proposed plan in place of the run.
 *
 * @param item id of the card whose plan is to be seen; null: the run again
 */
export const showPlanInRun = (item: string | null): void => useWanted.setState({ item });

export function usePlanInRun(): boolean {
  const wanted = useWanted(({ item }) => item);
  const shown = useShownDraft()?.item ?? null;
  const isItsRun = useHost(({ run }) => run?.planApproved === true && run.id === shown?.run);
  return isItsRun && shown !== null && shown.id === wanted;
}
