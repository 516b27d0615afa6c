import { expect, test } from "vitest";
import { archangelTable, askedOf, nothingToSay, promptsTo } from "../../../testing/archangel-script.ts";
import { call, config, merged, scriptOf } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("gets everything once, then only new files, and the list again when it changes; comments follow their lines", {
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    workflow: "one-judge",
    files: config(
      `${archangelTable("early", 'paths = ["src/**"]\nwakes = ["iteration_saved", "merge_requested"]')}${archangelTable("elsewhere", 'paths = ["docs/**"]')}`,
    ),
    script: scriptOf({
      "agent-1": [
        {
          name: "goes on",
          prompt: "## Last checks",
          steps: [
            call("read_file", { path: "src/one.txt" }),
            write("src/one.txt", "above\nfirst\nfull\n"),
            done("Full."),
          ],
        },
        { name: "begins", steps: [write("src/one.txt", "first\nBROKEN\n"), done("Begun.")] },
      ],
      "archangel-early": [
        {
          name: "looks again",
          prompt: (seen) => seen.turns > 3,
          steps: [nothingToSay],
          optional: true,
        },
        {
          name: "looks first",
          steps: [
            call("read_work", { path: "src/one.txt" }),
            call("comment", { path: "src/one.txt", line: 9, text: "No.", relation: "risk" }),
            call("comment", {
              path: "src/one.txt",
              line: 1,
              text: "The first line is off.",
              relation: "off_plan",
              step: "Task of agent-1",
            }),
            nothingToSay,
          ],
        },
      ],
    }),
  });
  const one = fixture;
  await one.start();
  const run = await one.until(
    (view) =>
      over(view) ||
      (merged("agent-1")(view) && promptsTo(one, "early").length >= 2 && view.comments[0]?.line === 2),
  );
  expect(run.failure).toBe(null);
  const [first = "", second = ""] = promptsTo(one, "early");
  for (const title of ["## Goal", "## Plan", "## Task list", "## What happened", "## Work of agent-1"])
    expect(first).toContain(title);
  expect(first).toContain("+BROKEN");
  expect(second).toContain("+full");
  for (const title of ["## Goal", "## Plan", "Update: the plan"]) expect(second).not.toContain(title);
  // One conversation: what was told before stands in it.
  const last = askedOf(one, "early").at(-1);
  expect(last?.seen.opening).toBe(first);
  const refused = askedOf(one, "early").flatMap(({ seen }) => seen.results.filter(({ isError }) => isError));
  expect(refused[0]?.output).toContain("src/one.txt has 2 lines");
  // Nothing that it watches was touched: nobody asked it anything.
  expect(askedOf(one, "elsewhere")).toEqual([]);
  expect(run.comments).toMatchObject([
    {
      id: "early-1",
      archangel: "early",
      worker: "agent-1",
      path: "src/one.txt",
      line: 2,
      lineText: "first",
      relation: "off_plan",
      isOutdated: false,
      sentTo: null,
    },
  ]);
  expect(run.archangels.find(({ name }) => name === "early")).toMatchObject({
    isOn: true,
    worker: "archangel-early",
    delivery: { initialized: true },
  });
  expect(run.archangels.find(({ name }) => name === "early")?.spent.microDollars).toBeGreaterThan(0);
  // Agents hear of it what a user passes on, and nothing else.
  const agents = () => one.standIn.requests().filter(({ seen }) => seen.role === "agent-1");
  expect(JSON.stringify(agents().map(({ body }) => body))).not.toContain("The first line is off");
  one.answers = { ...agreeable };
  const end = await one.until(over);
  expect(end).toMatchObject({ stage: "complete", failure: null });
});
