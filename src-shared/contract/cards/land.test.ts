import { describe, expect, test } from "vitest";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { type LandCard, landKind } from "./land.ts";
import { landCard } from "./testing/land-card.ts";

const lacking: LandCard = {
  ...landCard,
  missing: [
    {
      ...{ worker: "agent-2", title: "The API", changeId: "change-2", missing: 12, added: 40 },
      tests: [{ path: "api.test.ts", name: "routes users" }],
      files: [
        { path: "api.ts", missing: 12, added: 40, restored: 0, deleted: 0 },
        { path: "old.ts", missing: 0, added: 0, restored: 3, deleted: 5 },
      ],
      ...{ restored: 3, deleted: 5, removedBy: ["agent-3"], restoredBy: ["integrator"] },
    },
  ],
};

const draft = (branch: string) => ({
  branch,
  title: `Title of ${branch}`,
  text: "<!-- hox:begin text=0123456789abcdef title=0123456789abcdef -->\nThe text\n<!-- hox:end -->",
});
const onForge: LandCard = {
  ...landCard,
  forge: {
    ...{ kind: "github", repository: "acme/widgets", form: "stack", linksIssue: 7 },
    drafts: { pull_request: [draft("hox/all")], stack: [draft("hox/1"), draft("hox/2")] },
  },
};

describe("land card", () => {
  test("says in a terminal what would appear on the forge, in full in the form that is preset", () => {
    const text = landKind.lines(onForge).join("\n");
    expect(text).toContain(
      `  or as a stack, each upon the one below
    draft: Title of hox/1
      hox/1 → main
      │ The text
    draft: Title of hox/2
      hox/2 → hox/1
      │ The text
  Then Hox comments once on issue #7`,
    );
    expect(text).not.toContain("hox:begin");
  });

  test("refuses a title for a pull request that is not on it", () => {
    const titled = (branch: string) =>
      landKind.refusal?.(onForge, { kind: "approve", form: "stack", titles: { [branch]: "Mine" } });
    expect(titled("hox/2")).toBeNull();
    expect(titled("hox/3")).toMatchObject({ message: "No pull request opens from hox/3." });
  });

  test("refuses to land without a reason while work of a task is missing", () => {
    expect(landKind.refusal?.(landCard, { kind: "approve" })).toBeNull();
    expect(landKind.refusal?.(lacking, { kind: "approve" })).toMatchObject({
      message: "Work of 1 task is missing from the result: The API.",
    });
    expect(landKind.refusal?.(lacking, { kind: "approve", without: "Dropped." })).toBeNull();
    expect(landKind.refusal?.(lacking, { kind: "repair" })).toBeNull();
    expect(landKind.refusal?.(landCard, { kind: "repair" })).not.toBeNull();
  });

  test("is not answered in advance while work of a task is missing", () => {
    expect(landKind.answerInAdvance(landCard)).toEqual({ kind: "approve", bookmark: "main" });
    expect(landKind.answerInAdvance(lacking)).toBeNull();
  });

  test.each([
    ["without It was dropped.", { kind: "approve", bookmark: "main", without: "It was dropped." }],
    [
      "next tasks without It was dropped.",
      { kind: "approve", bookmark: "next", history: "tasks", without: "It was dropped." },
    ],
    ["repair", { kind: "repair" }],
    ["repair keep the test", { kind: "repair", words: "keep the test" }],
    ["n", { kind: "reject", reason: "Not landed." }],
    ["y", null],
    ["", null],
    ["main", null],
    ["without", null],
  ])("reads %j in a terminal while work is missing", (typed, answer) => {
    expect(landKind.understand(lacking, typed)).toEqual(answer);
  });

  test("takes repair and without for names of branches while nothing is missing", () => {
    expect(landKind.understand(landCard, "repair")).toEqual({ kind: "approve", bookmark: "repair" });
    expect(landKind.understand(landCard, "without")).toEqual({ kind: "approve", bookmark: "without" });
  });

  test("shows missing work, votes and reasons in a terminal", () => {
    const seat = { evidence: "tests", at: 0, counted: true };
    const seats = [
      { ...seat, seat: "validator-1", vote: "approve" as const, reason: "Good." },
      { ...seat, seat: "validator-2", vote: "reject" as const, reason: "No test\nfor the API." },
    ];
    const validation = {
      commitId: "c",
      attempt: 1,
      seats,
      quorum: 1,
      tolerated: 0,
      verdict: "approved" as const,
      checks: [],
    };
    const lines = landKind.lines({ ...lacking, validation });
    expect(lines).toContain(
      '  missing: agent-2 "The API": 1 test and 12 of 40 lines missing, 3 of 5 deleted lines restored; missing tests: "routes users" in api.test.ts; missing lines: api.ts (12 of 40); restored lines: old.ts (3 of 5); removed by agent-3, restored by integrator',
    );
    expect(lines).toContain("  votes: 1 of 2 approve");
    expect(lines).toContain("  validator-2 rejects: No test␊for the API.");
  });
});

const unproven: CheckResult = {
  ...({
    name: "pytest",
    command: "pytest -q",
    speed: "slow",
    outcome: "unproven",
    ms: 1,
    output: "",
  } as const),
  why: "pytest was interrupted: 1 error during collection",
};

describe("a result with a check that proves nothing", () => {
  const item = { ...landCard, missing: [], checks: [unproven] };

  test("names the check and asks for a reason, in window and terminal", () => {
    expect(landKind.headline(item)).toBe("1 check proved nothing about the result");
    expect(landKind.lines(item).join("\n")).toContain(
      "proves nothing: pytest. pytest was interrupted: 1 error during collection",
    );
    expect(landKind.refusal?.(item, { kind: "approve", bookmark: "main" })).toMatchObject({
      message: "pytest proved nothing about the result.",
    });
    expect(landKind.understand(item, "main")).toBeNull();
    expect(landKind.understand(item, "without I ran them myself")).toEqual({
      ...{ kind: "approve", bookmark: "main", without: "I ran them myself" },
    });
    expect(landKind.refusal?.(item, { kind: "approve", without: "I ran them myself" })).toBeNull();
  });

  test("is not landed by an answer in advance, nor is one with a failing check", () => {
    expect(landKind.answerInAdvance(item)).toBeNull();
    const failing = { ...landCard, missing: [], checks: [], failedChecks: ["pytest"] };
    expect(landKind.answerInAdvance(failing)).toBeNull();
    expect(landKind.answerInAdvance({ ...failing, overruled: "The check is wrong." })).not.toBeNull();
    expect(landKind.answerInAdvance({ ...failing, failedChecks: [] })).not.toBeNull();
  });
});
