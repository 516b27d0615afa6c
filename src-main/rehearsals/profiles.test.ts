import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import { createFixture, type Fixture, over } from "../engine/testing/run-fixture.ts";
import { profilesScript } from "./profiles.ts";
import { judgeRoutes } from "./profiles-judges.ts";
import { nearestName } from "./profiles-orchestrator.ts";
import { conflictRegions } from "./reading.ts";
import { rehearsalNamed } from "./rehearsals.ts";

const { example, goal } = rehearsalNamed("profiles");
const files = Object.fromEntries(
  readdirSync(example, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(example, path).split(sep).join("/"), readFileSync(path, "utf8")]),
);

let fixture: Fixture | null = null;

describe("rehearsal (design section 13; HOX-B)", () => {
  it("is a whole run: question, decision, a real conflict that its agent corrects, four votes, a pattern", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    fixture = await createFixture({ rehearsal: "profiles" });
    const { standIn, root } = fixture;
    const terminal = (...args: readonly string[]) => fixture?.repo.terminal(args, { cwd: root });
    const cards: InboxItem[] = [];
    const keep = (item: InboxItem): void => void cards.push(item);
    fixture.answers = {
      ...fixture.answers,
      "align-request": (item) => {
        keep(item);
        return { kind: "answer", text: "user_id" };
      },
      mutation: (item) => {
        keep(item);
        return { kind: "approve" };
      },
      pattern: (item) => {
        keep(item);
        return { kind: "approve" };
      },
    };
    await fixture.start({ goal, rehearsal: "profiles" });
    const run = await fixture.until(over);
    expect(standIn.unmatched()).toEqual([]);
    expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "main" } });
    expect(run.orchestrators).toHaveLength(rehearsalNamed("profiles").orchestrators);
    expect(await terminal("log", "--no-graph", "-r", "conflicts() | divergent()", "-T", "change_id")).toBe(
      "",
    );
    expect(await terminal("bookmark", "list")).toContain("hox-patterns");

    const card = (kind: InboxItem["kind"]) => cards.find((one) => one.kind === kind);
    expect(card("align-request")).toMatchObject({ from: "agent-2", options: ["user_id", "userId"] });
    expect(card("mutation")).toMatchObject({
      conflicts: [{ worker: "agent-1", files: ["src/contracts/profile.js"] }],
    });
    // Its own name for the field lives on in a file that no conflict shows; the search finds it and the prompt says so.
    const found = fixture.events.flatMap((event) =>
      event.kind === "run"
        ? event.run.decisions.flatMap(({ compliance }) =>
            compliance.filter((one) => one.worker === "agent-1" && one.shownBy === "conflict"),
          )
        : [],
    );
    expect(found[0]?.places).toContainEqual({
      path: "src/profiles.js",
      line: expect.any(Number),
      text: expect.stringContaining("userId"),
    });
    expect(run.decisions[0]?.compliance.find(({ worker }) => worker === "agent-1")?.state).toBe("complies");
    expect(card("pattern")).toMatchObject({
      name: "ask-before-naming",
      gates: expect.arrayContaining([
        { name: "matches recorded runs", passed: true, detail: expect.any(String) },
      ]),
    });
    expect(run.validation).toMatchObject({ verdict: "approved", quorum: 3 });
    expect(run.validation?.seats.map((seat) => seat.vote)).toEqual([
      "approve",
      "approve",
      "reject",
      "approve",
    ]);
    expect(run.attempt).toBe(0);
    for (const name of ["agent-1", "agent-2", "agent-3"]) {
      expect(run.workers.find((one) => one.name === name)?.iteration, name).toBeGreaterThanOrEqual(2);
    }
    // With the decision, and with the changelog where it finishes last.
    expect(run.metrics.find((one) => one.worker === "agent-1")?.conflictsMet).toBeGreaterThanOrEqual(1);
    // One is asked for changes with a reason that holds, and does them.
    const reviewsOf = (name: string) =>
      run.workers
        .find((one) => one.name === name)
        ?.mergeRequest?.reviews.map(({ by, verdict }) => `${by} ${verdict}`);
    // Whoever finishes later is reviewed again with the others' entries.
    const [first, ...later] = reviewsOf("agent-3") ?? [];
    expect([first, new Set(later)]).toEqual(["parent changes", new Set(["parent approved"])]);
    expect(new Set(reviewsOf("agent-2"))).toEqual(new Set(["parent approved"]));
    expect(
      run.workers.every((one) => one.mergeRequest === null || one.mergeRequest.state.stage === "merged"),
    ).toBe(true);
    // Everyone writes the changelog: who finishes later brings its entry together with the others, and the integrator none.
    const met = (name: string) => run.metrics.find((one) => one.worker === name)?.conflictsMet ?? 0;
    expect(met("agent-1") + met("agent-2") + met("agent-3")).toBeGreaterThan(1);
    expect(met("integrator")).toBe(0);

    const landed = async (path: string) => (await terminal("file", "show", "-r", "main", path)) ?? "";
    expect(await landed("src/contracts/profile.js")).toContain('ownerField = "user_id"');
    expect(await landed("src/profiles.js")).not.toMatch(/userId|console\.log/u);
    expect(await landed("src/store.js")).toContain("rows[place] = { ...row }");
    const changelog = await landed("CHANGELOG.md");
    expect(changelog.split("\n## 0.4.0")[0]?.split("\n").toSorted()).toEqual(
      [
        "# Changelog",
        "",
        "## Unreleased",
        "",
        "- `GET` and `PUT /users/:id/profile` read and replace a user's profile.",
        "- The client reads and saves profiles.",
        "- The store keeps one profile per user.",
        "",
      ].toSorted(),
    );
    // Errors are part of the show, and none of them is an accident of the script.
    const errors = fixture.events.flatMap((event) =>
      event.kind === "conversation"
        ? event.rows.flatMap((row) =>
            row.kind === "tool-result" && row.error ? [`${event.worker} ${row.tool} ${row.error}`] : [],
          )
        : [],
    );
    expect([...new Set(errors)].toSorted()).toEqual([
      "agent-1 run_command command-failed",
      "agent-2 edit_file not-unique",
      "agent-3 edit_file protected-file",
      "agent-3 run_command command-failed",
    ]);
  });

  it("follows the other answer too, and resumes after a restart", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    fixture = await createFixture({ script: profilesScript, files });
    const { repo, standIn } = fixture;
    const { mutation: _later, ...others } = fixture.answers;
    fixture.answers = {
      ...others,
      "align-request": () => ({ kind: "answer", text: "I'd rather have it in camelCase" }),
    };
    await fixture.start({ goal, rehearsal: "profiles" });
    await fixture.card("mutation");
    await fixture.reopen();
    const item = await fixture.card("mutation");
    await fixture.execute("inbox.answer", { ...item, decision: { kind: "approve" } });
    const run = await fixture.until(over);
    expect(standIn.unmatched()).toEqual([]);
    expect(run.stage).toBe("complete");
    expect(await repo.terminal(["file", "show", "-r", "main", "src/contracts/profile.js"])).toContain(
      'ownerField = "userId"',
    );
    expect(await repo.terminal(["file", "show", "-r", "main", "src/profiles.js"])).toContain("userId");
    expect(run.metrics.find((one) => one.worker === "agent-1")?.conflictsMet).toBe(1);
  });

  it("ends as well when the user says no, and when agents work one after another", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    fixture = await createFixture({ script: profilesScript, files });
    const { repo, standIn } = fixture;
    fixture.settings = { ...fixture.settings, maxParallelAgents: 1 };
    let plans = 0;
    fixture.answers = {
      ...fixture.answers,
      plan: () => (plans++ === 0 ? { kind: "reject", reason: "Fewer agents, please." } : { kind: "approve" }),
      mutation: () => ({ kind: "reject", reason: "Not now." }),
    };
    await fixture.start({ goal, rehearsal: "profiles" });
    const run = await fixture.until(over);
    expect(standIn.unmatched()).toEqual([]);
    expect(run.stage).toBe("complete");
    expect(run.validation?.verdict).toBe("approved");
    expect(run.plan?.summary).toContain("Fewer agents");
    expect(run.metrics.find((one) => one.worker === "agent-1")?.conflictsMet).toBe(0);
    // Nobody decided: what agent-1 wrote into the contract came through the merge, and the others import it.
    expect(await repo.terminal(["file", "show", "-r", "main", "src/contracts/profile.js"])).toContain(
      'ownerField = "userId"',
    );
    expect(await repo.terminal(["file", "list", "-r", "hox-patterns"])).toContain(
      "contract-before-parallel-work.md",
    );
  });
});

describe("what the script understands", () => {
  it.each([
    ["user_id", "user_id"],
    ["userId please", "userId"],
    ["Not userId, take user_id", "user_id"],
    ["camel case", "userId"],
    ["snake case!", "user_id"],
    ["whatever you like", "user_id"],
  ])("%s → %s", (answer, name) => expect(nearestName(answer)).toBe(name));

  it("whether a line that a search suspects still has the other name", () => {
    const step = judgeRoutes.compliance?.[0]?.steps[0];
    if (typeof step !== "function") throw new Error("Nobody judges.");
    const judged = (line: string) =>
      step({
        role: "compliance",
        model: "",
        system: "",
        tools: [],
        opening: "",
        prompt: `[COMPLY]\n\n## Decision\n\nWhy.\n\n- export const ownerField = "userId";\n+ export const ownerField = "user_id";\n\n## Lines that may not follow it\n\n- src/a.js:3: \`${line}\` (user was removed)\n`,
        notes: [],
        turn: 0,
        turns: 0,
        results: [],
        history: [],
      }).calls?.[0]?.input;
    expect(judged("row.userId = id")).toMatchObject({
      complies: false,
      places: [{ file: "src/a.js", line: 3 }],
      reason: expect.stringContaining("user_id now"),
    });
    expect(judged("for (const user of users)")).toMatchObject({ complies: true, places: [] });
  });

  it("reads both sides of jj's and git's conflict markers", () => {
    const jj = [
      "a",
      "<<<<<<< conflict 1 of 1",
      '%%%%%%% diff from: base "x"',
      "\\\\\\\\\\\\\\        to: decision",
      " same",
      "-old",
      "+decided",
      '+++++++ agent "y"',
      "same",
      "mine",
      ">>>>>>> conflict 1 of 1 ends",
      "b",
      "",
    ].join("\n");
    expect(conflictRegions(jj)[0]?.sides).toEqual(["same\ndecided\n", "same\nmine\n"]);
    const git = "<<<<<<< one\nmine\n||||||| base\nold\n=======\ndecided\n>>>>>>> two\n";
    expect(conflictRegions(git)[0]?.sides).toEqual(["mine\n", "decided\n"]);
  });
});
