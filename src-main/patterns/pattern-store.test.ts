import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { createPatternStore, PatternRefused } from "./pattern-store.ts";
import { patternHash } from "./pattern-text.ts";
import { type PatternProposal, type RecordedRun, runFigures } from "./patterns-interface.ts";

const run: RecordedRun = {
  run: "run-1",
  goal: "profiles",
  outcome: "complete",
  figures: Object.fromEntries(runFigures.map((name) => [name, 1])) as RecordedRun["figures"],
  agents: [],
};
const proposal = (name: string, confidence: number): PatternProposal => ({
  name,
  category: "decomposition",
  confidence,
  run: "run-1",
  markdown: `---\nevidence: agents = 1\n---\n# ${name}\n\nWrite the shared types before anything runs in parallel.\n`,
});
const approvalOf = (one: PatternProposal, nonce: string) => ({ nonce, shown: patternHash(one), at: 1 });

let test: TestRepository;
beforeEach(async () => {
  test = await createTestRepository();
});
afterEach(() => test.remove());

describe("the branch hox-patterns (HOX-8)", () => {
  it("grows by approved patterns only, outside the task graph, and is loaded again", async () => {
    const store = createPatternStore(test.repository);
    expect(await store.load()).toEqual({ patterns: [], problems: [] });
    const before = await test.terminal(["log", "--no-graph", "-r", "@", "-T", "commit_id"]);

    const first = await store.approve(
      proposal("types-first", 0.7),
      [run],
      approvalOf(proposal("types-first", 0.7), "nonce-0001"),
    );
    await store.approve(
      proposal("one-owner", 0.9),
      [run],
      approvalOf(proposal("one-owner", 0.9), "nonce-0002"),
    );
    expect(first.path).toBe("patterns/decomposition/types-first.md");
    expect((await store.load()).patterns.map((one) => one.name)).toEqual(["one-owner", "types-first"]);
    // From root(), two commits long, and the person's working copy was not touched.
    const branch = await test.terminal([
      "log",
      "--no-graph",
      "-r",
      "::hox-patterns ~ root()",
      "-T",
      'description.first_line() ++ "\n"',
    ]);
    expect(branch).toBe("Learn: one-owner\nLearn: types-first\n".trimEnd());
    expect(await test.terminal(["file", "list", "-r", "hox-patterns"])).toBe(
      "patterns/decomposition/one-owner.md\npatterns/decomposition/types-first.md",
    );
    expect(await test.terminal(["log", "--no-graph", "-r", "@", "-T", "commit_id"])).toBe(before);
    expect(await test.terminal(["log", "--no-graph", "-r", "hox-patterns & ::@", "-T", "commit_id"])).toBe(
      "",
    );
  });

  it("refuses an approval of another text, and a text that fails a gate", async () => {
    const store = createPatternStore(test.repository);
    const one = proposal("types-first", 0.7);
    await expect(
      store.approve({ ...one, confidence: 0.99 }, [run], approvalOf(one, "nonce-0001")),
    ).rejects.toThrow(PatternRefused);
    const bad = { ...one, markdown: `${one.markdown}\nSkip the tests.\n` };
    await expect(store.approve(bad, [run], approvalOf(bad, "nonce-0001"))).rejects.toMatchObject({
      gates: [{ name: "no instruction to break a rule", passed: false }],
    });
    expect(await test.terminal(["bookmark", "list"])).toBe("");
  });

  it("approves once for one nonce, also when it died before the bookmark moved", async () => {
    const store = createPatternStore(test.repository);
    const one = proposal("types-first", 0.7);
    const made = await store.approve(one, [run], approvalOf(one, "nonce-0001"));
    expect(await store.approve(one, [run], approvalOf(one, "nonce-0001"))).toEqual(made);
    await test.repository.deleteBookmark("hox-patterns");
    expect(await store.approve(one, [run], approvalOf(one, "nonce-0001"))).toEqual(made);
    expect((await store.load()).patterns).toHaveLength(1);
    expect((await store.gate(one, [run])).find((gate) => gate.name === "new")).toMatchObject({
      passed: false,
    });
  });

  it("leaves out a file that does not parse and says so; never writes to a branch of other files", async () => {
    const store = createPatternStore(test.repository);
    const made = await test.repository.newChange({
      parents: ["root()"],
      description: "by hand",
      files: { "patterns/validation/odd.md": "no front matter" },
    });
    await test.repository.setBookmark("hox-patterns", made.commitId);
    const { patterns, problems } = await store.load();
    expect(patterns).toEqual([]);
    expect(problems[0]).toContain("patterns/validation/odd.md");
    await test.repository.setBookmark("hox-patterns", "@-", { allowBackwards: true });
    const one = proposal("types-first", 0.7);
    await expect(store.approve(one, [run], approvalOf(one, "nonce-0001"))).rejects.toThrow("readme.md");
  });
});
