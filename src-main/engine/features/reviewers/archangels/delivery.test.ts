import { expect, test } from "vitest";
import { archangelTable, askedOf, nothingToSay, promptsTo } from "../../../testing/archangel-script.ts";
import { call, config, scriptOf } from "../../../testing/merge-request-script.ts";
import { createFixture, type Fixture, isJoined } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("an update is delivered once the model has answered, also if the host dies; a budget ends only that archangel, and a provider error stops nothing", {
  timeout: 300_000,
}, async () => {
  let isFull = false;
  fixture = await createFixture({
    workflow: "auto",
    files: config(
      [
        "[loop_defaults]\nmax_iterations = 1000\n[merge_requests]\nstalled_iterations = 1000\n",
        archangelTable("hangs", 'wakes = ["plan_changed"]'),
        archangelTable("talks", 'wakes = ["plan_changed"]'),
        archangelTable("poor", 'wakes = ["iteration_saved"]\nbudget_tokens = 1'),
        archangelTable("refused", 'wakes = ["iteration_saved"]\nmodel = "claude-haiku-5-5"'),
      ].join(""),
    ),
    faults: [
      { kind: "stall", role: "archangel-hangs", times: 1, after: 0 },
      { kind: "stall", role: "archangel-talks", turns: 1, times: 1, after: 0 },
      {
        kind: "refused",
        role: "archangel-refused",
        times: 1000,
        answer: {
          status: 404,
          body: { type: "error", error: { type: "not_found_error", message: "no such model" } },
        },
      },
    ],
    script: scriptOf({
      "agent-1": [
        {
          name: "fills",
          prompt: () => isFull,
          steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "full\n"), done("Full.")],
        },
        { name: "waits", steps: [write("src/one.txt", "BROKEN\n"), done("Not yet.")] },
      ],
      "archangel-hangs": [{ name: "reads", steps: [nothingToSay] }],
      "archangel-talks": [
        {
          name: "speaks once",
          prompt: (seen) => seen.turns === seen.turn,
          steps: [
            call("suggest_task", {
              suggestion: "Write a readme",
              context: "There is none.",
              priority: "low",
              files: [],
            }),
            nothingToSay,
          ],
        },
        { name: "has said it", steps: [nothingToSay], optional: true },
      ],
      "archangel-poor": [
        {
          name: "speaks",
          steps: [
            call("comment", { path: "src/one.txt", line: 1, text: "It is broken.", relation: "risk" }),
            nothingToSay,
          ],
        },
      ],
      "archangel-refused": [{ name: "never speaks", steps: [nothingToSay], optional: true }],
    }),
  });
  const one = fixture;
  await one.start();
  await one.until(
    () => promptsTo(one, "hangs").length === 1 && askedOf(one, "talks").some(({ seen }) => seen.turn === 1),
  );
  // The host ends between the question and its answer: the same is told again, word for word.
  await one.reopen();
  await one.until(
    (run) => run.archangels.find(({ name }) => name === "hangs")?.delivery.initialized === true,
  );
  expect(promptsTo(one, "hangs")).toHaveLength(2);
  expect(promptsTo(one, "hangs")[1]).toBe(promptsTo(one, "hangs")[0]);
  expect(promptsTo(one, "hangs")[0]).toContain("## Goal");
  // What a model has answered already is not asked again: it goes on behind that, and has said it once.
  const both = await one.until(
    (run) => run.archangels.find(({ name }) => name === "talks")?.delivery.initialized === true,
  );
  expect(askedOf(one, "talks").map(({ seen }) => seen.turn)).toEqual([0, 1, 1]);
  const [, before, behind] = askedOf(one, "talks");
  expect(JSON.stringify(behind?.body)).toBe(JSON.stringify(before?.body));
  expect(both.suggestions).toMatchObject([{ id: "talks-task-1", suggestion: "Write a readme" }]);
  // After the answer it is not told again, whoever dies.
  await one.reopen();
  const amend = one.execute("plan.amend", {
    orchestrator: "O-A-1",
    edits: [{ kind: "change", task: "agent-1", patch: { description: "Write it in full." } }],
  });
  await amend;
  await one.until(() => promptsTo(one, "hangs").length === 3);
  const update = promptsTo(one, "hangs")[2] ?? "";
  expect(update).toContain("## Update: the plan");
  expect(update).toContain("Write it in full.");
  expect(update).not.toContain("## Goal");
  // One conversation from before both deaths.
  expect(askedOf(one, "hangs").at(-1)?.seen.opening).toBe(promptsTo(one, "hangs")[0]);

  // Its budget was spent with the first answer; what it said with that is kept, and it asks nothing more.
  const spent = await one.until(
    (run) =>
      run.archangels.find(({ name }) => name === "poor")?.state === "spent" &&
      run.comments.some(({ archangel }) => archangel === "poor"),
  );
  expect(spent.comments.filter(({ archangel }) => archangel === "poor")).toMatchObject([
    { id: "poor-1", text: "It is broken." },
  ]);
  isFull = true;
  const run = await one.until(isJoined);
  expect(run.failure).toBe(null);
  expect(askedOf(one, "poor").length).toBeLessThanOrEqual(3);
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices.filter((text) => text.startsWith("The budget of the archangel poor is spent"))).not.toEqual(
    [],
  );
  expect(
    notices.filter((text) => text.startsWith("The archangel refused could not review the latest changes")),
  ).not.toEqual([]);
  expect(run.archangels.find(({ name }) => name === "refused")?.delivery.initialized).toBe(false);
  expect(
    one.events.filter(
      (event) =>
        event.kind === "inbox" && event.items.some(({ kind }) => kind === "trouble" || kind === "budget"),
    ),
  ).toEqual([]);
});
