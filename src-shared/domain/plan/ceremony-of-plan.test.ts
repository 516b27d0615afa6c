import { describe, expect, test } from "vitest";
import { type Ceremony, ceremonyParts, ceremonyValues } from "../ceremony/ceremony-parts.ts";
import { type CeremonyRules, forcedOf, withWishes } from "../ceremony/ceremony-rules.ts";
import { ceremonyLine } from "../ceremony/ceremony-words.ts";
import { asProposed, ceremonyOf } from "./ceremony-of-plan.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { editLine, editPlan, type PlanEdit } from "./plan-edit.ts";
import { namesIn, namesToLookFor, sharedBetween } from "./shared-names.ts";

const rules: CeremonyRules = {
  contracts: "auto",
  reviews: "auto",
  integrator: "auto",
  seats: "auto",
  learning: "auto",
};

const task = (id: string, over: Partial<PlannedTask> = {}): PlannedTask => ({
  id,
  title: `Write the ${id}`,
  description: "",
  phase: 1,
  priority: "medium",
  files: [`src/${id}.ts`],
  after: [],
  ...over,
});
const planOf = (tasks: readonly PlannedTask[], over: Partial<Plan> = {}): Plan => ({
  goal: "Keep users",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "", description: "", files: [] },
  phases: [1, 2].map((number) => ({ number, title: "Build" })),
  tasks,
  integration: { title: "Together", description: "" },
  budget: { tokens: null, microDollars: null },
  ...over,
});
const chosen = (plan: Plan, over: Partial<CeremonyRules> = {}, known: readonly string[] = []): Ceremony =>
  ceremonyOf(plan, { known: new Set(known), imports: null, isPart: false }, { ...rules, ...over });
const values = (ceremony: Ceremony) => ceremonyParts.map((part) => ceremony[part].value);

describe("what a plan asks for by itself", () => {
  test("one task is one agent, its checks and one review", () => {
    const ceremony = chosen(
      planOf([task("store")], { contracts: { title: "C", description: "", files: ["src/types.ts"] } }),
    );
    expect(values(ceremony)).toEqual(["none", "result", "needed", "by-result", "taught"]);
    expect(ceremony.contracts.reason).toBe("One task shares nothing with anybody.");
    expect(ceremonyLine(ceremony)).toBe(
      "no contracts, one review, of the result, an integrator where needed, validators by size and risk, learning where it taught",
    );
  });

  test("tasks that stand apart need no contracts, few of them no review but that of the result", () => {
    const [one, two, three, four] = ["store", "view", "mail", "queue"].map((id) => task(id));
    const few = [one, two, three].flatMap((each) => each ?? []);
    expect(values(chosen(planOf(few)))).toEqual(["none", "result", "needed", "by-result", "taught"]);
    expect(chosen(planOf([...few, ...(four ? [four] : [])])).reviews).toMatchObject({ value: "each" });
    // Who waits for another builds on its work.
    const after = chosen(planOf([task("store"), task("view", { after: ["store"] })]));
    expect([after.contracts.value, after.reviews.value]).toEqual(["none", "each"]);
    expect(chosen(planOf([task("store"), task("view", { phase: 2 })])).reviews.value).toBe("each");
  });

  test("a name that two tasks side by side need and the repository has not is a contract", () => {
    const plan = planOf([
      task("api", { description: "Answers `GET /users/:id` with what `loadUser(id)` gives." }),
      task("view", { description: "Shows what loadUser(id) answers, from /users/:id." }),
    ]);
    expect(new Set(namesToLookFor(plan))).toEqual(new Set(["loadUser", "/users/:id"]));
    const ceremony = chosen(plan);
    expect(ceremony.contracts).toMatchObject({ value: "write", by: "plan" });
    expect(ceremony.contracts.reason).toMatch(/^"api" and "view" both need \S+ and 1 more name\.$/u);
    expect(ceremony.reviews.value).toBe("each");
    expect(chosen(plan, {}, ["loadUser", "/users/:id"]).contracts.value).toBe("none");
    // Of tasks that wait for each other the later one reads the name where it stands.
    const [api, view] = plan.tasks;
    if (api && view) expect(chosen(planOf([api, { ...view, after: ["api"] }])).contracts.value).toBe("none");
  });

  test("a file that two claim, and a contract file of which two speak, are contracts", () => {
    const overlap = planOf([task("a"), task("b", { files: ["src/a.ts"] })]);
    expect(chosen(overlap).contracts.reason).toBe(
      '"a" and "b" run at the same time and both claim src/a.ts.',
    );
    const contracts = { title: "", description: "", files: ["src/profile.ts", "docs/never.md"] };
    const spoken = planOf(
      [task("a", { description: "Store a Profile." }), task("b", { description: "Show src/profile.ts." })],
      { contracts },
    );
    expect(chosen(spoken).contracts.reason).toBe('"a", "b" build on src/profile.ts.');
    // A contract that nobody speaks of is nobody's.
    expect(chosen(planOf([task("a"), task("b")], { contracts })).contracts.value).toBe("none");
  });

  test("work that the integration names and no task owns is an integrator's", () => {
    const integration = { title: "Wire it", description: "Add the route in src/app.ts and test the whole." };
    const ceremony = chosen(planOf([task("a"), task("b")], { integration }));
    expect(ceremony.integrator).toEqual({
      value: "always",
      by: "plan",
      reason: "The integration is to work on src/app.ts, which is no task's.",
    });
    const owned = planOf([task("a"), task("b", { files: ["src/app.ts"] })], { integration });
    expect(chosen(owned).integrator.value).toBe("needed");
  });

  test("words that are no names of code are none", () => {
    expect([
      ...namesIn("Use TypeScript and GitHub, and/or 24/7; e.g. run the tests. A RangeError names it."),
    ]).toEqual([]);
    expect([...namesIn("`npm test` calls parseDate() of src/date.ts, see MAX_SIZE and UserStore.")]).toEqual([
      "parseDate",
      "src/date.ts",
      "MAX_SIZE",
      "UserStore",
    ]);
  });
});

describe("who decides", () => {
  const plan = planOf([task("a"), task("b")]);

  test("the configuration forces, whatever anybody wants", () => {
    const wished: Plan = {
      ...plan,
      ceremony: { contracts: { value: "none", by: "person" }, seats: { value: "one", by: "person" } },
    };
    const forced = chosen(wished, {
      contracts: "always",
      reviews: "always",
      integrator: "always",
      seats: "all",
      learning: "always",
    });
    expect(values(forced)).toEqual(["write", "each", "always", "all", "always"]);
    expect(ceremonyParts.map((part) => forced[part].by)).toEqual(Array(5).fill("configuration"));
    expect(forcedOf({ ...rules, contracts: "never", seats: "one", learning: "never" })).toEqual({
      contracts: "none",
      reviews: null,
      integrator: null,
      seats: "one",
      learning: "never",
    });
  });

  test("the author may ask for more, for less of contracts alone, and never in a person's name", () => {
    const more = chosen({
      ...plan,
      ceremony: {
        contracts: { value: "write", reason: "Both speak of money." },
        seats: { value: "all", reason: "Money." },
      },
    });
    expect(more.contracts).toEqual({ value: "write", by: "planner", reason: "Both speak of money." });
    expect(more.seats).toMatchObject({ value: "all", by: "planner" });
    const less = chosen({ ...plan, ceremony: { seats: { value: "one" }, learning: { value: "never" } } });
    expect([less.seats.value, less.learning.value]).toEqual(["by-result", "taught"]);
    const posing = asProposed({ ...plan, ceremony: { seats: { value: "one", reason: "r", by: "person" } } });
    expect(posing.ceremony).toEqual({ seats: { value: "one", reason: "r" } });
    expect(chosen(posing).seats.value).toBe("by-result");
  });

  test("a person's edits are wishes that the plan carries, and auto takes them back", () => {
    const edits = ceremonyParts.flatMap((part) =>
      ceremonyValues[part].map((value) => ({ kind: "ceremony", part, value }) as PlanEdit),
    );
    for (const edit of edits) {
      const result = editPlan(plan, edit);
      if (result.kind !== "edited" || edit.kind !== "ceremony") throw new Error("It was refused.");
      const ceremony = chosen(result.plan);
      expect(ceremony[edit.part]).toEqual({ value: edit.value, by: "person", reason: "You chose it." });
      expect(withWishes(chosen(plan), result.plan.ceremony)).toEqual(ceremony);
      expect(editLine(edit)).toMatch(/^wants /u);
      // The same once more changes nothing; taken back, the plan is what it was.
      expect(editPlan(result.plan, edit)).toEqual(result);
      const back = editPlan(result.plan, { ...edit, value: null } as PlanEdit);
      expect(back.kind === "edited" && back.plan).toEqual(plan);
    }
  });

  test("a part's one task is reviewed as the part", () => {
    const part = ceremonyOf(planOf([task("a")]), { known: new Set(), imports: null, isPart: true }, rules);
    expect(part.reviews.reason).toBe("One task is the whole part, and its parent reviews that.");
  });
});

test("tasks that share nothing share nothing with themselves", () => {
  expect(
    sharedBetween(planOf([task("a", { description: "`onlyHere()`" })]), { known: new Set(), imports: null }),
  ).toEqual([]);
});
