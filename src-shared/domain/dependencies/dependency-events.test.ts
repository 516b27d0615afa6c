import { expect, test } from "vitest";
import {
  awaitedBy,
  type Dependencies,
  type DependencyEvent,
  decidedRequest,
  isAllowedForRun,
  isOpen,
  reduceDependencies,
  sameRequests,
  withdrawAskedBy,
} from "./dependency-events.ts";
import type { DependencyRequest } from "./request.ts";

const request: DependencyRequest = { manager: "npm", folder: "", name: "a", version: null, dev: false };
const requested = (id: string, worker: string): DependencyEvent => ({
  kind: "Requested",
  id,
  worker,
  why: "",
  request,
});
const allowed = (id: string, isForRun = false, version: string | null = null): DependencyEvent => ({
  kind: "Decided",
  id,
  decision: { kind: "allow", by: "user", version, isForRun },
});
const after = (...events: readonly DependencyEvent[]): Dependencies =>
  events.reduce<Dependencies>(reduceDependencies, []);

test("equal requests are joined, and each waits until it ends", () => {
  const asked = after(requested("1", "agent-1"), requested("1", "agent-2"), requested("1", "agent-1"));
  expect(asked[0]?.askers.map(({ worker }) => worker)).toEqual(["agent-1", "agent-2"]);
  expect(awaitedBy(asked, "agent-2")?.id).toBe("1");
  const done = [allowed("1"), { kind: "Installed", id: "1", changeId: "c", words: "" } as const].reduce(
    reduceDependencies,
    asked,
  );
  expect(awaitedBy(done, "agent-2")).toBeNull();
  expect(done.some(isOpen)).toBe(false);
});

test("a withdrawn worker's own requests go with its questions; shared and decided ones stay", () => {
  const state = after(
    requested("1", "agent-1"),
    requested("2", "agent-1"),
    requested("2", "agent-2"),
    requested("3", "agent-1"),
    allowed("3"),
    requested("4", "agent-2"),
  );
  const left = withdrawAskedBy(state, "agent-1");
  expect(left.map(({ outcome }) => outcome?.kind ?? null)).toEqual(["withdrawn", null, null, null]);
  expect(withdrawAskedBy(left, "agent-1")).toBe(left);
  expect(withdrawAskedBy(state, "agent-3")).toBe(state);
});

test("a late event changes nothing", () => {
  const done = after(requested("1", "agent-1"), { kind: "Failed", id: "1", words: "no" });
  expect(reduceDependencies(done, allowed("1"))).toEqual(done);
  expect(reduceDependencies(done, allowed("7"))).toEqual(done);
  const denied = after(requested("1", "agent-1"), {
    kind: "Decided",
    id: "1",
    decision: { kind: "deny", by: "user", words: "" },
  });
  expect(denied.some(isOpen)).toBe(false);
  expect(reduceDependencies(denied, { kind: "Installed", id: "1", changeId: null, words: "" })).toEqual(
    denied,
  );
});

test("an approval for the run covers the package in any version, and a withdrawn request was never made", () => {
  const state = after(requested("1", "agent-1"), allowed("1", true, "^2"));
  expect(isAllowedForRun(state, { ...request, version: "9.0.0", dev: true })).toBe(true);
  expect(isAllowedForRun(state, { ...request, name: "b" })).toBe(false);
  expect(state.map(decidedRequest)).toEqual([{ ...request, version: "^2" }]);
  expect(sameRequests(after(requested("1", "agent-1"), { kind: "Withdrawn", id: "1" }), request)).toEqual([]);
});
