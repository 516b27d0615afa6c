import { expect, test, vi } from "vitest";
import type { Status } from "#shared/domain/change-metadata/metadata.ts";
import { worker } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, patientFiles, write as scribble, threeAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("a requested status is executed: blocked waits, open resumes, done is checked, abandoned goes", async () => {
  let tries = 0;
  fixture = await createFixture({
    files: patientFiles,
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        // Never done, and never at a downtime.
        "agent-3": [
          {
            name: "tries again",
            steps: [
              () => {
                tries += 1;
                return scribble("src/view.txt", `BROKEN ${tries}\n`);
              },
              done("Another try."),
            ],
          },
        ],
      },
    },
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const write = (name: string, status: Status) =>
    one.execute("change.setMetadata", {
      changeIds: [worker(one.engine.state().run, name)?.changeId ?? ""],
      patch: { status },
    });
  await one.card("align-request");
  // In a terminal, while its agent waits for an answer.
  const changeId = worker(one.engine.state().run, "agent-2")?.changeId ?? "";
  await vi.waitFor(
    () => one.repo.terminal(["describe", changeId, "-m", "Write the api\n\nHox-Status: blocked"]),
    { timeout: 60_000, interval: 500 },
  );
  await one.until((run) => worker(run, "agent-2")?.held === true);
  expect(worker(one.engine.state().run, "agent-2")?.status).toBe("blocked");
  await expect(write("agent-2", "in_progress")).rejects.toThrow(/can't get this status/u);
  await write("agent-2", "open");
  await one.until((run) => worker(run, "agent-2")?.held === false);

  // Its check fails, so it is not done, and its agent has it again.
  await one.until((run) => worker(run, "agent-3")?.status === "in_progress");
  await write("agent-3", "done");
  await one.until(() =>
    one.events.some((event) => event.kind === "notice" && /is not done: /u.test(event.text)),
  );
  await one.until((run) => worker(run, "agent-3")?.byHand === null);
  await write("agent-3", "abandoned");
  await one.until((run) => worker(run, "agent-3")?.status === "abandoned");
  await one.until((run) => run.plan?.tasks.map(({ id }) => id).join() === "store,api");

  await one.until((run) => worker(run, "agent-1")?.status === "done");
  await expect(write("agent-1", "abandoned")).rejects.toMatchObject({
    remedy: expect.stringContaining("hox undo agent-1"),
  });

  await write("agent-2", "done");
  const run = await one.until((now) => worker(now, "agent-2")?.status === "done");
  expect(run.workers.find((w) => w.name === "agent-2")?.byHand).toBeNull();
}, 300_000);
