import { describe, expect, it } from "vitest";
import { initialsOf, isEnough, peopleRoles, roleIn } from "./role.ts";
import { reduceUserActs } from "./user-acts.ts";

describe("roles", () => {
  it("allows what lesser roles allow, and nothing to who has none", () => {
    for (const [at, has] of peopleRoles.entries())
      for (const [needed, role] of peopleRoles.entries()) expect(isEnough(has, role)).toBe(at >= needed);
    expect(isEnough(null, "watch")).toBe(false);
  });

  it("holds in one repository where it is for that one, and lets its person look at the app", () => {
    const only = { role: null, repositories: { "/a": "approve" } } as const;
    expect([roleIn(only, "/a"), roleIn(only, "/b"), roleIn(only, null)]).toEqual(["approve", null, "watch"]);
    const less = { role: "own", repositories: { "/a": "watch" } } as const;
    expect([roleIn(less, "/a"), roleIn(less, "/b"), roleIn(less, null)]).toEqual(["watch", "own", "own"]);
    expect(roleIn({ role: null, repositories: {} }, null)).toBeNull();
  });
});

describe("initialsOf", () => {
  it.each([
    ["Ann Bell", "AB"],
    ["ann", "AN"],
    ["ann.bell@example.com", "AB"],
    ["Ørjan", "ØR"],
    ["x", "X"],
  ])("shortens %s to %s", (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});

describe("reduceUserActs", () => {
  it("keeps who did what, in order, and ignores other events", () => {
    const act = { by: "Ann", did: "paused", of: "agent-1" };
    const acts = reduceUserActs([], { kind: "UserActed", ...act });
    expect(acts).toEqual([act]);
    expect(reduceUserActs(acts, { kind: "HooksRun" })).toBe(acts);
  });
});
