import { expect, it } from "vitest";
import { createFixture, type Fixture, over } from "../engine/testing/run-fixture.ts";
import { rehearsalNamed } from "./rehearsals.ts";
import { heightIn } from "./tides.ts";

let fixture: Fixture | null = null;

it("the rehearsal with two levels completes with the user's answers", {
  tags: ["long"],
  timeout: 660_000,
}, async () => {
  fixture = await createFixture({ rehearsal: "tides" });
  const { repo, root, standIn } = fixture;
  fixture.answers = {
    ...fixture.answers,
    "align-request": () => ({ kind: "answer", text: "4.5 m, please" }),
  };
  await fixture.start({ goal: "Warn of high water", rehearsal: "tides" });
  const run = await fixture.until(over, 600_000);
  expect(standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "main" } });
  expect(run.orchestrators.map(({ name, stage }) => [name, stage])).toEqual([
    ["O-A-1", "complete"],
    ["O-B-1", "complete"],
    ["O-B-2", "complete"],
  ]);
  expect(run.orchestrators).toHaveLength(rehearsalNamed("tides").orchestrators);
  const show = (path: string) => repo.terminal(["file", "show", "-r", "main", path], { cwd: root });
  expect(await show("src/station/alarm.js")).toContain("highFrom = 450;");
  expect(await show("src/app.js")).toContain('from "./station/index.js"');
  // Nothing goes wrong in this one: what is shown is how work is divided.
  const errors = fixture.events.flatMap((event) =>
    event.kind === "conversation"
      ? event.rows.flatMap((row) =>
          row.kind === "tool-result" && row.error ? [`${event.worker} ${row.tool} ${row.output}`] : [],
        )
      : [],
  );
  expect(errors).toEqual([]);
  // What the run writes itself is taken for nobody's word, and the figures of each part are written.
  const warnings = fixture.events.flatMap((event) =>
    event.kind === "notice" && event.level !== "info" ? [event.text] : [],
  );
  expect(warnings).toEqual([]);
  const figures = await repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"], {
    cwd: root,
  });
  expect(figures).toContain("Hox-Metrics: {");
  for (const seat of run.metrics.filter(({ worker }) => worker.startsWith("validator-")))
    expect(seat.msByPhase.tools, `${seat.worker} has taken time`).toBeGreaterThan(0);
  expect(fixture.engine.state().messages.filter(({ handled }) => !handled)).toEqual([]);
});

it.each([
  ["400 cm", 400],
  ["4.5 m, please", 450],
  ["4,2 m", 420],
  ["450", 450],
  ["3.9", 390],
  ["as you like", 400],
])("%s → %i", (answer, height) => expect(heightIn(answer)).toBe(height));
