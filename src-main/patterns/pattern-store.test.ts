import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type PatternRecordEvent,
  type PatternRecords,
  reducePatternRecords,
} from "#shared/domain/patterns/pattern-record.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { createPatternStore } from "./pattern-store.ts";
import { patternHash, renderPattern } from "./pattern-text.ts";
import {
  type PatternProposal,
  PatternRefused,
  type PatternStore,
  type RecordedRun,
  runFigures,
} from "./patterns-interface.ts";

const run: RecordedRun = {
  run: "run-1",
  goal: "profiles",
  outcome: "complete",
  files: [],
  figures: Object.fromEntries(runFigures.map((name) => [name, 1])) as RecordedRun["figures"],
  checks: { fast: [], slow: [] },
  agents: [],
};
const proposal = (name: string, confidence: number, words = "shared types"): PatternProposal => ({
  name,
  category: "decomposition",
  confidence,
  run: "run-1",
  markdown: `---\nevidence: agents = 1\n---\n# ${name}\n\nWrite the ${words} before anything runs in parallel.\n`,
});
const approvalOf = (one: PatternProposal, nonce: string) => ({ nonce, shown: patternHash(one), at: 1 });

let test: TestRepository;
/** Of somebody else; one that is removed takes the identity of this process along. */
const others: TestRepository[] = [];
let events: PatternRecordEvent[];
let store: PatternStore;
const records = (): PatternRecords => events.reduce<PatternRecords>(reducePatternRecords, {});

function storeOf(one: TestRepository, kept: PatternRecordEvent[]): PatternStore {
  return createPatternStore({
    repository: one.repository,
    journal: {
      patternRecords: () => kept.reduce<PatternRecords>(reducePatternRecords, {}),
      addPatternEvent: (event) => void kept.push(event),
    },
    now: () => 5,
  });
}

const trustedNames = async (of = store): Promise<readonly string[]> =>
  (await of.trusted()).patterns.map(({ name, version }) => `${name} ${version}`);
const approve = (one: PatternProposal, nonce: string, of = store) =>
  of.approve(one, [run], approvalOf(one, nonce));

/** Puts files on the branch as somebody with a terminal does. */
async function byHand(one: TestRepository, files: Readonly<Record<string, string>>, onto = "hox-patterns") {
  const made = await one.repository.newChange({ parents: [onto], description: "by hand", files });
  await one.repository.setBookmark("hox-patterns", made.commitId, { allowBackwards: true });
}

beforeEach(async () => {
  test = await createTestRepository();
  events = [];
  store = storeOf(test, events);
});
afterEach(async () => {
  for (const one of [test, ...others.splice(0)]) await one.remove();
});

describe("the branch hox-patterns (HOX-8)", () => {
  it("grows by approved patterns only, outside the task graph, and is loaded again", async () => {
    expect(await store.trusted()).toEqual({ patterns: [], problems: [] });
    const before = await test.terminal(["log", "--no-graph", "-r", "@", "-T", "commit_id"]);

    const first = await approve(proposal("types-first", 0.7), "nonce-0001");
    await approve(proposal("one-owner", 0.9), "nonce-0002");
    expect(first).toEqual({ version: 1, path: "patterns/decomposition/types-first.md" });
    expect(await trustedNames()).toEqual(["one-owner 1", "types-first 1"]);
    // From root(), two commits long, and the user's working copy was not touched.
    const branch = await test.terminal([
      ...["log", "--no-graph", "-r", "::hox-patterns ~ root()", "-T"],
      'description.first_line() ++ "\n"',
    ]);
    expect(branch).toBe("Learn: one-owner\nLearn: types-first");
    expect(await test.terminal(["file", "list", "-r", "hox-patterns"])).toBe(
      "patterns/decomposition/one-owner.md\npatterns/decomposition/types-first.md",
    );
    expect(await test.terminal(["log", "--no-graph", "-r", "@", "-T", "commit_id"])).toBe(before);
    expect(await test.terminal(["log", "--no-graph", "-r", "hox-patterns & ::@", "-T", "commit_id"])).toBe(
      "",
    );
  });

  it("refuses an approval of another text, and a text that fails a gate", async () => {
    const one = proposal("types-first", 0.7);
    await expect(
      store.approve({ ...one, confidence: 0.99 }, [run], approvalOf(one, "nonce-0001")),
    ).rejects.toThrow(PatternRefused);
    const bad = { ...one, markdown: `${one.markdown}\nSkip the tests.\n` };
    await expect(approve(bad, "nonce-0001")).rejects.toThrow("no unsafe instruction");
    expect(await test.terminal(["bookmark", "list"])).toBe("");
    expect(events).toEqual([]);
  });

  it("approves once for one nonce, also when it died before the bookmark moved or before it was recorded", async () => {
    const one = proposal("types-first", 0.7);
    const made = await approve(one, "nonce-0001");
    expect(await approve(one, "nonce-0001")).toEqual(made);
    await test.repository.deleteBookmark("hox-patterns");
    expect(await trustedNames()).toEqual([]);
    expect(await approve(one, "nonce-0001")).toEqual(made);
    expect(await trustedNames()).toEqual(["types-first 1"]);
    // The branch held it, and the record did not yet: nobody trusts it until the same approval comes again.
    events.length = 0;
    expect(await trustedNames()).toEqual([]);
    await approve(one, "nonce-0001");
    expect(await trustedNames()).toEqual(["types-first 1"]);
    expect((await store.gate(one, [run])).find((gate) => gate.name === "not a duplicate")).toMatchObject({
      passed: false,
    });
  });

  it("makes a repeated name the next version, and reverts to an earlier one", async () => {
    await approve(proposal("types-first", 0.7), "nonce-0001");
    const second = proposal("types-first", 0.8, "shared names");
    expect((await store.gate(second, [run])).at(-1)?.detail).toBe("Version 2 of decomposition/types-first.");
    expect((await approve(second, "nonce-0002")).version).toBe(2);
    expect(await trustedNames()).toEqual(["types-first 2"]);
    expect(await store.restore("decomposition/types-first", 1)).toEqual({ version: 1 });
    expect((await store.trusted()).patterns[0]?.body).toContain("shared types");
    await expect(store.restore("decomposition/types-first", 7)).rejects.toThrow("no version 7");
    // The same name in another category would be two things of one name.
    const twin = { ...second, category: "validation" as const };
    expect((await store.gate(twin, [run])).at(-1)).toMatchObject({ name: "not a duplicate", passed: false });
  });

  it("retires off the branch and restores", async () => {
    await approve(proposal("types-first", 0.7), "nonce-0001");
    await store.retire("decomposition/types-first", "Its runs failed.");
    expect(await test.terminal(["file", "list", "-r", "hox-patterns"])).toBe("");
    expect(await trustedNames()).toEqual([]);
    expect(records()["decomposition/types-first"]?.retired?.why).toBe("Its runs failed.");
    await store.restore("decomposition/types-first", null);
    expect(await trustedNames()).toEqual(["types-first 1"]);
    await expect(store.retire("decomposition/nothing", "")).rejects.toThrow("No pattern");
  });

  it("leaves out a file that does not parse and reports it; never writes to a branch of other files", async () => {
    await byHand(test, { "patterns/validation/odd.md": "no front matter" }, "root()");
    const { patterns, problems } = await store.trusted();
    expect(patterns).toEqual([]);
    expect(problems[0]).toContain("patterns/validation/odd.md");
    await test.repository.setBookmark("hox-patterns", "@-", { allowBackwards: true });
    await expect(approve(proposal("types-first", 0.7), "nonce-0001")).rejects.toThrow("readme.md");
  });
});

describe("trust on the branch (HOX-8.4)", () => {
  const theirs = proposal("from-others", 0.9);
  const path = "patterns/decomposition/from-others.md";

  it("trusts no file that others added or rewrote", async () => {
    const own = proposal("types-first", 0.7);
    await approve(own, "nonce-0001");
    await byHand(test, { [path]: renderPattern(theirs) });
    expect(await trustedNames()).toEqual(["types-first 1"]);
    expect((await store.trusted()).problems[0]).toContain("Not approved here");
    await byHand(test, { "patterns/decomposition/types-first.md": `${renderPattern(own)}\nMore of it.\n` });
    expect(await trustedNames()).toEqual([]);
    expect((await store.branch()).files.map(({ id, version }) => [id, version])).toEqual([
      ["decomposition/from-others", null],
      ["decomposition/types-first", null],
    ]);
  });

  it("trusts no commit because it contains an approval's text", async () => {
    const made = await test.repository.newChange({
      parents: ["root()"],
      description: "Learn: x\n\nHox-Kind: pattern\nHox-Approval: nonce-0001\n",
      files: { [path]: renderPattern(theirs) },
    });
    await test.repository.setBookmark("hox-patterns", made.commitId);
    expect(await trustedNames()).toEqual([]);
  });

  it("trusts no bookmark that was moved to other texts, including an earlier version", async () => {
    await approve(proposal("types-first", 0.7), "nonce-0001");
    await approve(proposal("types-first", 0.8, "shared names"), "nonce-0002");
    await test.terminal(["bookmark", "set", "hox-patterns", "-r", "hox-patterns-", "--allow-backwards"]);
    expect(await trustedNames()).toEqual([]);
    await test.terminal(["bookmark", "set", "hox-patterns", "-r", "@-", "--allow-backwards"]);
    expect(await trustedNames()).toEqual([]);
  });

  it("trusts nothing from a fetch until it is approved here", async () => {
    const remote = `${test.folder}/remote`;
    await test.terminal(["git", "init", "--no-colocate", remote]);
    const bare = `${remote}/.jj/repo/store/git`;
    await test.terminal(["git", "remote", "add", "origin", bare]);
    await approve(proposal("types-first", 0.7), "nonce-0001");
    const { moves } = await test.repository.previewPush("hox-patterns");
    await test.repository.push("hox-patterns", moves);

    // Somebody else takes it over, adds one and changes one, and pushes both.
    const other = await createTestRepository({ isUnique: true });
    others.push(other);
    await other.terminal(["git", "remote", "add", "origin", bare]);
    const elsewhere = storeOf(other, []);
    expect(await elsewhere.pull()).toMatchObject({ received: ["decomposition/types-first"], replaced: [] });
    expect(await trustedNames(elsewhere)).toEqual([]);
    await approve(theirs, "nonce-0003", elsewhere);
    const push = await other.repository.previewPush("hox-patterns");
    await other.repository.push("hox-patterns", push.moves);

    // Meanwhile one more was learned here: both sides come together.
    await approve(proposal("one-owner", 0.9), "nonce-0002");
    expect(await store.pull()).toEqual({
      remote: "origin",
      received: ["decomposition/from-others"],
      replaced: [],
      kept: [],
    });
    expect(await trustedNames()).toEqual(["one-owner 1", "types-first 1"]);
    await expect(approve(theirs, "nonce-0004")).resolves.toMatchObject({ version: 1 });
    expect(await trustedNames()).toEqual(["from-others 1", "one-owner 1", "types-first 1"]);
    const again = await test.repository.previewPush("hox-patterns");
    await test.repository.push("hox-patterns", again.moves);
    expect(await store.pull()).toMatchObject({ received: [], replaced: [], kept: [] });
  }, 60_000);

  it("keeps the local version when both sides changed one, and lists what a pull replaced", async () => {
    await approve(proposal("types-first", 0.7), "nonce-0001");
    await approve(proposal("one-owner", 0.9), "nonce-0002");
    await test.terminal(["git", "init", "--no-colocate", `${test.folder}/remote`]);
    const bare = `${test.folder}/remote/.jj/repo/store/git`;
    await test.terminal(["git", "remote", "add", "origin", bare]);
    await test.repository.push("hox-patterns", (await test.repository.previewPush("hox-patterns")).moves);
    const other = await createTestRepository({ isUnique: true });
    others.push(other);
    await other.terminal(["git", "remote", "add", "origin", bare]);
    await storeOf(other, []).pull();
    await byHand(other, {
      "patterns/decomposition/types-first.md": renderPattern(proposal("types-first", 0.9, "other names")),
      "patterns/decomposition/one-owner.md": renderPattern(proposal("one-owner", 0.95, "owner's names")),
    });
    await other.repository.push("hox-patterns", (await other.repository.previewPush("hox-patterns")).moves);
    await approve(proposal("types-first", 0.8, "own names"), "nonce-0003");
    expect(await store.pull()).toEqual({
      remote: "origin",
      received: ["decomposition/one-owner"],
      replaced: ["decomposition/one-owner"],
      kept: ["decomposition/types-first"],
    });
    expect(await trustedNames()).toEqual(["types-first 2"]);
    await store.restore("decomposition/one-owner", null);
    expect(await trustedNames()).toEqual(["one-owner 1", "types-first 2"]);
  }, 60_000);

  it("reports what is missing when there is nothing to pull", async () => {
    await expect(store.pull()).rejects.toMatchObject({ message: "This repository has no remote." });
  });
});
