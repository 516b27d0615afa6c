import { expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import {
  alone,
  oneDelegated,
  type Part,
  partPlan,
  rootPlan,
  twoLevelFiles,
  twoLevelsWith,
} from "../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

const prompts = (one: Fixture, role: string) =>
  one.standIn
    .requests()
    .filter(({ seen }) => seen.role === role && seen.turn === 0)
    .map(({ seen }) => seen.prompt);

test("a number of orchestrators set by the user is enforced: another one goes back to the author", async () => {
  fixture = await createFixture({ script: twoLevelsWith({ changed: oneDelegated }), files: twoLevelFiles });
  fixture.answers = {};
  await fixture.start({ orchestrators: 2 });
  expect(await fixture.card("plan")).toMatchObject({
    orchestrator: "O-A-1",
    plan: { orchestrators: { count: 2, reason: "The client is one file." } },
    problems: [],
  });
  const [first, second, ...more] = prompts(fixture, "O-A-1");
  expect(first).toContain("The user wants 2.");
  expect(second).toContain("The user wants 2 orchestrators, and the plan makes 3");
  expect(more).toEqual([]);
  await fixture.execute("run.stop");
}, 300_000);

test("a level beyond the configured depth needs the user's approval", async () => {
  fixture = await createFixture({
    script: twoLevelsWith({ changed: alone }),
    files: {
      ...twoLevelFiles,
      ".hox/config.toml": `${twoLevelFiles[".hox/config.toml"]}[limits]\norchestrator_levels = 1\n`,
    },
  });
  fixture.answers = {};
  await fixture.start();
  const depth = await fixture.card("depth");
  expect(depth).toMatchObject({
    from: "O-A-1",
    level: "B",
    allowed: 1,
    tasks: [{ title: "Build the server" }, { title: "Build the client" }],
    reason: rootPlan.orchestrators.reason,
  });
  await fixture.execute("inbox.answer", {
    ...depth,
    decision: { kind: "reject", reason: "Keep it small." },
  });
  expect(await fixture.card("plan")).toMatchObject({ plan: { orchestrators: { count: 1 } } });
  expect(prompts(fixture, "O-A-1")[1]).toContain("give every task to an agent. Keep it small.");
  await fixture.execute("run.stop");
}, 300_000);

/** A part's plan in which some of the tasks claim one more file. */
const claiming = (part: Part, file: string, ...ids: readonly string[]): Plan => ({
  ...partPlan(part),
  tasks: partPlan(part).tasks.map((task) =>
    ids.includes(task.id) ? { ...task, files: [...task.files, file] } : task,
  ),
});

test("a part's plan is approved automatically within its files; one outside them, or with overlapping tasks, is reviewed", async () => {
  const shared = "src/server/shared.txt";
  const together = (part: Part) => claiming(part, shared, "routes", "storage");
  fixture = await createFixture({
    script: twoLevelsWith({
      root: {
        ...oneDelegated,
        tasks: oneDelegated.tasks.map((task) =>
          task.id === "server" ? { ...task, budget: { tokens: 1_000_000, microDollars: null } } : task,
        ),
      },
      part: together,
      partChanged: (part, words) =>
        words.includes("touch each other")
          ? together(part)
          : words.includes("Too close.")
            ? { ...claiming(part, "readme.md", "routes"), budget: { tokens: 2_000_000, microDollars: null } }
            : partPlan(part),
    }),
    files: twoLevelFiles,
  });
  const one = fixture;
  const cards: (readonly [string, readonly string[]])[] = [];
  one.answers = {
    plan: (item) => {
      if (item.kind !== "plan") return null;
      const { orchestrator, problems } = item;
      cards.push([orchestrator, problems]);
      if (orchestrator === "O-A-1") return { kind: "approve" };
      return { kind: "reject", reason: cards.length === 2 ? "Too close." : "Leave the readme alone." };
    },
  };
  await one.start();
  const run = await one.until(({ orchestrators }) => orchestrators[1]?.planApproved === true);
  const meet = `"routes" and "storage" run at the same time and both claim ${shared}.`;
  // The first time its author alone is told; who means it all the same asks.
  expect(cards).toEqual([
    ["O-A-1", []],
    ["O-B-1", [meet]],
    [
      "O-B-1",
      [
        "O-B-1 claims files outside its part: readme.md.",
        "The plan of O-B-1 needs more than the remaining budget.",
      ],
    ],
  ]);
  const [first, second, third, fourth] = prompts(one, "O-B-1");
  expect(first).toContain("src/server/");
  expect(first).toContain("What a user is");
  expect(first).toContain("At most 1000000 tokens.");
  expect(run.workers.find(({ name }) => name === "O-B-1")?.budget.limitTokens).toBe(1_000_000);
  expect(second).toContain(`touch each other:\n> - ${meet}`);
  expect(third).toContain("Too close.");
  expect(fourth).toContain("Leave the readme alone.");
  // A user may write to any of them; it is one more event, and the answer comes back. Paused, it hears of it later.
  await one.execute("run.pauseWorker", { worker: "O-B-1" });
  await expect(one.execute("run.messageWorker", { worker: "O-C-*", text: "Hello." })).rejects.toThrow(
    /No active agent matches/,
  );
  await one.execute("run.messageWorker", { worker: "O-B-*", text: "Mind the port." });
  await one.until(({ workers }) => workers.some((each) => each.activity === "paused by you"));
  await expect(one.execute("run.retryWorker", { worker: "O-B-1" })).rejects.toThrow(/O-B-1 has not failed/);
  expect(prompts(one, "O-B-1").some((words) => words.includes("Mind the port."))).toBe(false);
  await one.execute("run.resumeWorker", { worker: "O-B-1" });
  const told = () => prompts(one, "O-B-1").find((words) => words.includes("Mind the port."));
  await one.until(() => told() !== undefined);
  expect(told()).toMatch(/^\[EVENT user message\]\n\nThe user writes to O-B-\*\./u);
  await one.until(() => one.engine.state().messages.some(({ to, handled }) => to === "user" && handled));
  expect(one.engine.state().messages).toContainEqual(
    expect.objectContaining({ from: "O-B-1", to: "user", text: "I mind it." }),
  );
  expect(run.orchestrators[1]).toMatchObject({
    name: "O-B-1",
    parent: "O-A-1",
    plan: { tasks: [{ files: ["src/server/routes.txt"] }, { files: ["src/server/storage.txt"] }] },
  });
  await one.execute("run.stop");
}, 300_000);
