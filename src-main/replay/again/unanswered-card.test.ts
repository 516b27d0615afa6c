/** A run that was left before a card which nobody answered: done again, it comes as far as that and says so. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createFixture, type Fixture } from "../../engine/testing/run-fixture.ts";
import { done, write } from "../../engine/testing/three-agents-script.ts";
import { defineScript } from "../../model/stand-in/script.ts";
import { openRecording } from "../open-recording.ts";
import { runAgain } from "./run-again.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

const script = defineScript({
  name: "quick",
  routes: {
    "agent-1": [
      {
        name: "asks and works",
        steps: [
          { calls: [{ tool: "align_request", input: { question: "Tabs or blanks?", blocking: false } }] },
          write("src/store.txt", "the store\n"),
          done("The store is written."),
        ],
      },
    ],
  },
});

it("ends as soon as all that was recorded has come, and names the card", async () => {
  fixture = await createFixture({ workflow: "auto", script });
  fixture.answers = {};
  await fixture.start({ goal: "Write the store", quick: true });
  await fixture.card("land");
  await fixture.engine.close();
  const before = performance.now();
  const report = await runAgain({
    recording: openRecording(join(fixture.repo.folder, "state"), "last"),
    source: fixture.repo.repository,
    folder: join(fixture.repo.folder, "again"),
    hosts: [],
    newId: randomUUID,
  });
  expect(report).toMatchObject({ stage: "landing", stopped: null, differences: [], unasked: 0 });
  expect(report.unanswered.join("\n")).toMatch(/Question: .*Tabs or blanks/u);
  expect(report.unanswered).toHaveLength(2);
  expect(performance.now() - before).toBeLessThan(90_000);
});
