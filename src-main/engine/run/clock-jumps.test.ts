import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRateLimit } from "../../model/rate-limit.ts";
import { createTestClock } from "../../testing/kit.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents, done, exampleFiles, write } from "../testing/three-agents-script.ts";

const hour = 3_600_000;
let fixture: Fixture | null = null;

test("a clock that jumps an hour forward and two back silences no worker, and the open run stays open", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  let jump = 0;
  fixture = await createFixture({
    now: () => Date.now() + jump,
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "agent-1": [
          {
            name: "waits for a file",
            steps: [
              {
                calls: [
                  {
                    tool: "run_command",
                    input: { command: "while ! test -e go; do sleep 0.1; done; rm go" },
                  },
                ],
              },
              write("src/store.txt", "keeps users\n"),
              done("The store keeps users."),
            ],
          },
        ],
      },
    },
    files: exampleFiles,
  });
  const one = fixture;
  const first = await one.start();
  const agent = () => one.engine.state().run?.workers.find(({ name }) => name === "agent-1");
  await one.until(() => agent()?.activity.startsWith("running") === true);
  jump = hour;
  // Whether somebody is silent is looked at every two seconds.
  await pause(2_500);
  jump = -hour;
  await pause(2_500);
  expect(one.engine.state().run?.workers.filter((worker) => worker.quiet !== null)).toEqual([]);
  const spent = one.engine.state().run?.budget.spent.microDollars ?? 0;
  await writeFile(join(agent()?.workspace ?? "", "go"), "");
  const ended = await one.until(over);
  expect(ended).toMatchObject({ stage: "complete", failure: null });
  expect(ended.budget.spent.microDollars).toBeGreaterThan(spent);
  expect(one.standIn.requests().filter(({ seen }) => seen.prompt.startsWith("[EVENT child"))).toEqual([]);

  // Begun before the first one by the clock, it is the one that goes on all the same.
  jump = -2 * hour;
  one.answers = {};
  const second = await one.start();
  const card = await one.card("plan");
  await one.reopen();
  expect(one.engine.state().run?.id).toBe(second);
  expect(one.engine.state().runs.map(({ id }) => id)).toEqual([second, first]);
  expect(await one.card("plan")).toEqual(card);
});

test("a clock that jumps back does not extend the wait for the provider's limit, and one that jumps forward does not shorten it", async () => {
  for (const jump of [-hour, hour]) {
    const clock = createTestClock();
    let ahead = 0;
    const limit = createRateLimit({ clock: { ...clock, now: () => clock.now() + ahead } });
    limit.pauseUntil(clock.now() + 300, "a moment");
    ahead = jump;
    let isFree = false;
    void limit.acquire("agent-1", new AbortController().signal).then(() => {
      isFree = true;
    });
    clock.pass(299);
    await turn();
    expect(isFree).toBe(false);
    clock.pass(1);
    await turn();
    expect(isFree).toBe(true);
  }
});
