import { beforeEach, describe, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { undecidedWorkflow } from "#shared/domain/workflow/workflow.ts";
import {
  chooseDraft,
  editDraft,
  forgetAside,
  isEdited,
  type PlanItem,
  redoEdit,
  shownDraft,
  takeAside,
  takeInbox,
  undoEdit,
  usePlanDrafts,
} from "./plan-draft.ts";

const plan: Plan = {
  goal: "g",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: [] },
  phases: [{ number: 1, title: "one" }],
  tasks: ["a", "b"].map((id) => ({
    id,
    title: id,
    description: "",
    phase: 1,
    priority: "medium",
    files: [],
    after: [],
  })),
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
};

const item = (round: number, over: Partial<PlanItem> = {}): PlanItem => ({
  kind: "plan",
  id: `run/plan/${round}`,
  run: "run",
  at: 0,
  nonce: `n${round}`,
  shown: "s",
  orchestrator: "O-A-1",
  plan,
  workflow: undecidedWorkflow,
  problems: [],
  ...over,
});
const draft = (round = 1) => {
  const found = usePlanDrafts.getState().drafts.get(`run/plan/${round}`);
  if (!found) throw new Error("There is no draft.");
  return found;
};

const storage = new Map<string, string>();
beforeEach(() => {
  storage.clear();
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    value: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    },
  });
  takeInbox([]);
  forgetAside();
});

describe("the draft of a plan", () => {
  test("counts edits, undoes and redoes them", () => {
    takeInbox([item(1)]);
    expect(isEdited(draft())).toBe(false);
    editDraft("run/plan/1", { kind: "link", task: "b", after: "a" });
    editDraft("run/plan/1", { kind: "remove", task: "a" });
    expect(draft().plan.tasks).toMatchObject([{ id: "b", after: [] }]);
    undoEdit("run/plan/1");
    expect(draft().plan.tasks[1]?.after).toEqual(["a"]);
    undoEdit("run/plan/1");
    expect(isEdited(draft())).toBe(false);
    redoEdit("run/plan/1");
    redoEdit("run/plan/1");
    expect(draft().plan.tasks).toHaveLength(1);
    expect(draft().future).toEqual([]);
  });

  test("letters typed into one field are one step of undo", () => {
    takeInbox([item(1)]);
    for (const title of ["N", "Ne", "New"])
      editDraft("run/plan/1", { kind: "change", task: "a", patch: { title } });
    editDraft("run/plan/1", { kind: "change", task: "b", patch: { title: "Other" } });
    undoEdit("run/plan/1");
    expect(draft().plan.tasks[0]?.title).toBe("New");
    undoEdit("run/plan/1");
    expect(isEdited(draft())).toBe(false);
  });

  test("a refused edit leaves it as it was", () => {
    takeInbox([item(1)]);
    expect(editDraft("run/plan/1", { kind: "link", task: "a", after: "a" })).toBe(false);
    expect(draft().past).toEqual([]);
  });

  test("survives a reload, with its undo, for exactly the proposal that it was made of", () => {
    takeInbox([item(1)]);
    editDraft("run/plan/1", { kind: "remove", task: "b" });
    usePlanDrafts.setState({ drafts: new Map(), aside: null });
    takeInbox([item(1)]);
    expect(draft().plan.tasks).toHaveLength(1);
    undoEdit("run/plan/1");
    expect(draft().plan.tasks).toHaveLength(2);
    editDraft("run/plan/1", { kind: "remove", task: "b" });
    usePlanDrafts.setState({ drafts: new Map(), aside: null });
    takeInbox([item(1, { nonce: "another" })]);
    expect(isEdited(draft())).toBe(false);
  });

  test("shows the oldest of several waiting plans until another one is chosen or it is answered", () => {
    const shown = () => shownDraft(usePlanDrafts.getState())?.item.id;
    takeInbox([item(1), item(2)]);
    expect(shown()).toBe("run/plan/1");
    chooseDraft("run/plan/2");
    expect(shown()).toBe("run/plan/2");
    takeInbox([item(1), item(2), item(3)]);
    expect(shown()).toBe("run/plan/2");
    takeInbox([item(1), item(3)]);
    expect(shown()).toBe("run/plan/1");
  });

  test("edits of a proposal that was replaced are set aside, and can be taken over", () => {
    takeInbox([item(1)]);
    editDraft("run/plan/1", { kind: "remove", task: "b" });
    takeInbox([]);
    takeInbox([item(2)]);
    expect(draft(2).plan.tasks).toHaveLength(2);
    expect(usePlanDrafts.getState().aside).toMatchObject({ run: "run" });
    expect(storage.size).toBe(0);
    takeAside("run/plan/2");
    expect(draft(2).plan.tasks).toHaveLength(1);
    expect(usePlanDrafts.getState().aside).toBeNull();
    undoEdit("run/plan/2");
    expect(isEdited(draft(2))).toBe(false);
  });
});
