import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import { bent, bentRepository, failing, jjBroken } from "./testing/breaking.ts";
import { agreeable, createFixture, type Fixture, over } from "./testing/run-fixture.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

/** Its trouble is on the table, and it stands still until a person answers. */
async function stopsFor(one: Fixture, worker: string, words: RegExp) {
  const card = await one.card("trouble");
  expect(card).toMatchObject({ kind: "trouble", worker, detail: expect.stringMatching(words) });
  const asked = () => one.standIn.requests().filter((request) => request.seen.role === worker).length;
  const before = asked();
  await pause(300);
  expect(asked()).toBe(before);
}

describe("what must be true stops the worker with its trouble, and nothing is lost (PLAN-7)", () => {
  const waiting = { ...agreeable, trouble: () => null };

  it("metadata: an agent whose status cannot be written is not done", async () => {
    // However it is written: by the change's name or with its files, as words or as a patch.
    const words = failing(
      1,
      (name, args) =>
        (name === "describe" || name === "setMetadata") &&
        (args.at(-1) as { actor?: string }).actor === "agent-1" &&
        /Hox-Status: review|"status":"review"/u.test(JSON.stringify(args)),
      () => Promise.reject(jjBroken()),
    );
    fixture = await createFixture({ around: (repository) => bentRepository(repository, words.call) });
    const one = fixture;
    one.answers = waiting;
    await one.start();
    await stopsFor(one, "agent-1", /jj is broken/);
    const agent = one.engine.state().run?.workers.find((worker) => worker.name === "agent-1");
    expect(agent?.status).toBe("in_progress");
    // Its files were saved first.
    expect(await one.repo.terminal(["file", "show", "-r", agent?.changeId ?? "", "src/store.txt"])).toBe(
      "keeps users",
    );
  }, 300_000);

  it("checks: work that could not be checked is not done", async () => {
    let checked = 0;
    const cannot = (sandbox: Sandbox): Sandbox =>
      bent(sandbox, (name, [options]) => {
        if (name !== "run" || (options as { command: string }).command !== "sh check.sh") return undefined;
        return checked++ === 0 ? Promise.reject(new Error("the check cannot be started")) : undefined;
      });
    fixture = await createFixture({
      sandbox: async () => cannot(await createSandbox({ allowUnsandboxed: false })),
    });
    const one = fixture;
    one.answers = waiting;
    await one.start();
    const card = await one.card("trouble");
    expect(card).toMatchObject({ detail: expect.stringContaining("the check cannot be started") });
    expect(
      one.engine
        .state()
        .run?.workers.filter((worker) => worker.name === (card.kind === "trouble" ? card.worker : "")),
    ).toMatchObject([{ status: "in_progress" }]);
    await one.engine.answer({ ...card, decision: { kind: "retry" } });
    expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  }, 300_000);
});
