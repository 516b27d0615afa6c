/** A planned task on its way to what it will wait for, or to another phase: dragged, or pointed at with the keys. */
import { create } from "zustand";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { outcomeOf, type PlanOutcome } from "#shared/domain/plan/problem-texts.ts";
import type { Outlines } from "#shared/domain/symbols/outline.ts";
import { contractsPart, integrationPart, type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import { notify } from "./notify.ts";
import { outlinesOf } from "./plan-amendment.ts";
import { editDraft, type PlanDraft, shownDraft, usePlanDrafts } from "./plan-draft.ts";
import { isRefused } from "./role.ts";
import { isSameData } from "./structural-sharing.ts";

export type LinkTarget =
  | { readonly kind: "part"; readonly part: PlanPart }
  | { readonly kind: "phase"; readonly phase: number };

interface LinkState {
  readonly by: "pointer" | "keyboard" | null;
  /** Id of the task that is on its way. */
  readonly task: string | null;
  readonly target: LinkTarget | null;
  readonly point: { readonly x: number; readonly y: number };
}

const idle: LinkState = { by: null, task: null, target: null, point: { x: 0, y: 0 } };

export const usePlanLink = create<LinkState>(() => idle);

export const cancelLink = (): void => usePlanLink.setState(idle);

/** @returns false for a person who may not approve the plan, and so not edit it; why is said */
export function takeUpTask(task: string, by: "pointer" | "keyboard", point = idle.point): boolean {
  if (isRefused("inbox.answer")) return false;
  usePlanLink.setState({ ...idle, task, by, point });
  return true;
}

export const moveLink = (x: number, y: number): void => usePlanLink.setState({ point: { x, y } });

export function aimLink(target: LinkTarget | null): void {
  const { target: before } = usePlanLink.getState();
  if (!isSameData(before, target)) usePlanLink.setState({ target });
}

export interface LinkPreview {
  /** What would be so afterwards, as a sentence without its end. */
  readonly sentence: string;
  readonly edits: readonly PlanEdit[];
  readonly outcome: PlanOutcome;
}

interface Previewed {
  readonly plan: Plan;
  readonly outlines: Outlines;
  readonly task: string;
  readonly target: LinkTarget | null;
  readonly preview: LinkPreview | null;
}

let last: Previewed | null = null;

/** What a drop would come to, on the plan as it is now; null without a target. Asked at every move of the pointer. */
export function linkPreview(
  { plan, item }: PlanDraft,
  task: string,
  target: LinkTarget | null,
): LinkPreview | null {
  const outlines = outlinesOf(item.id);
  const isSame = last?.plan === plan && last.outlines === outlines && last.task === task;
  if (!isSame || !isSameData(last?.target, target))
    last = { plan, outlines, task, target, preview: previewOf(plan, outlines, task, target) };
  return last?.preview ?? null;
}

function previewOf(
  plan: Plan,
  outlines: Outlines,
  task: string,
  target: LinkTarget | null,
): LinkPreview | null {
  const preview = (sentence: string, edits: readonly PlanEdit[]): LinkPreview => ({
    sentence,
    edits,
    outcome: outcomeOf(plan, edits, outlines),
  });
  const what = plan.tasks.find((one) => one.id === task);
  if (!what || target === null) return null;
  if (target.kind === "phase") {
    const title = plan.phases.find(({ number }) => number === target.phase)?.title ?? "";
    if (what.phase === target.phase) return null;
    return preview(`“${what.title}” moves to phase ${target.phase}: ${title}`, [
      { kind: "move", task, phase: target.phase },
    ]);
  }
  const { part } = target;
  if (part === integrationPart)
    return {
      sentence: "",
      edits: [],
      outcome: {
        kind: "refused",
        reason: "The integration already waits for every task.",
        remedy: "Select a task.",
      },
    };
  if (part === contractsPart) {
    if (what.after.length === 0) return null;
    return preview(
      `“${what.title}” waits for no other task`,
      what.after.map((after) => ({ kind: "unlink", task, after })),
    );
  }
  const after = taskOfPart(part);
  const other = plan.tasks.find((one) => one.id === after);
  if (!other || other.id === task) return null;
  if (what.after.includes(other.id))
    return preview(`“${what.title}” no longer waits for “${other.title}”`, [
      { kind: "unlink", task, after: other.id },
    ]);
  return preview(`“${what.title}” waits for “${other.title}”`, [{ kind: "link", task, after: other.id }]);
}

/** Lets go: the edit is made where it can be, and what speaks against it is said where it cannot. */
export function dropLink(): void {
  const { task, target } = usePlanLink.getState();
  const draft = shownDraft(usePlanDrafts.getState());
  cancelLink();
  if (task === null || !draft) return;
  const made = linkPreview(draft, task, target);
  if (!made) return;
  if (made.outcome.kind === "refused")
    notify("info", made.outcome.words ?? made.outcome.reason, made.outcome.remedy);
  else editDraft(draft.item.id, ...made.edits);
}

/** What a ghost shows of the link on its way. */
export const useLinkOn = (part: PlanPart): "dragged" | "target" | null =>
  usePlanLink(({ task, target }) =>
    task !== null && taskOfPart(part) === task
      ? "dragged"
      : target?.kind === "part" && target.part === part
        ? "target"
        : null,
  );
