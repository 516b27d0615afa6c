import { expect, onTestFinished, test } from "vitest";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { externalAgentScript, reportsStore, type Step } from "../testing/external-agent-script.ts";
import { installedAgentFiles, installedModels, installScriptedAgent } from "../testing/installed-agent.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { openWorkerMachines } from "../testing/worker-machines.ts";

async function openMachines(times?: LeaseTimes) {
  const machines = await openWorkerMachines(times);
  onTestFinished(() => machines.close());
  return machines;
}

const noticesOf = ({ events }: Fixture): readonly string[] =>
  events.flatMap((event) =>
    event.kind === "conversation" && event.worker === "agent-1"
      ? event.rows.flatMap((row) => (row.kind === "notice" ? [row.text] : []))
      : [],
  );

const asksModel: Step = {
  model: "/v1/messages",
  body: {
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    stream: true,
    system: "Hox-Role: agent-1",
    messages: [{ role: "user", content: "What is a store?" }],
  },
};

const writesStore: readonly (readonly Step[])[] = [
  [asksModel, { say: "I write the store." }, { write: "src/store.txt", text: "the store BROKEN\n" }],
  [{ write: "src/store.txt", text: "the store\n" }, reportsStore],
];

const open = (
  places: Awaited<ReturnType<typeof openMachines>>["pool"] | undefined,
  script: readonly (readonly Step[])[],
  offers = {},
): Promise<Fixture> =>
  createFixture({
    ...(places ? { places } : {}),
    script: externalAgentScript,
    files: installedAgentFiles(script, offers),
    workflow: "auto",
    sandbox: () => createSandbox({ allowUnsandboxed: false }),
  });

/** What a user sees of a run: what landed, what it cost, and what the agent said and did. */
async function resultOf(fixture: Fixture) {
  const run = await fixture.until(over);
  const agent = run.workers.find(({ name }) => name === "agent-1");
  return {
    stage: run.stage,
    failure: run.failure,
    landed: await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"]),
    spent: run.budget.byWorker["agent-1"],
    iteration: agent?.iteration,
    status: agent?.status,
    unmatched: fixture.standIn.unmatched(),
  };
}

test("an agent of another make on a worker comes to the same result as on the host", async () => {
  await installScriptedAgent();
  const machines = await openMachines();
  await machines.start("box");
  const away = await open(machines.pool, writesStore);
  await away.start({ models: installedModels, on: "test" });
  const result = await resultOf(away);
  expect(result).toMatchObject({ stage: "complete", failure: null, landed: "the store", iteration: 2 });
  expect(noticesOf(away)).toContain("Works on worker box.");
  expect(machines.places.held()).toEqual([]);
  const home = await open(undefined, writesStore);
  await home.start({ models: installedModels });
  expect(await resultOf(home)).toEqual(result);
});
