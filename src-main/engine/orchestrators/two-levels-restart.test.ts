import { expect, test } from "vitest";
import { askedAgain } from "../testing/asked-again.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { answer, oneAfterAnother, twoLevelFiles, twoLevelsWith } from "../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

test("a run closed inside parts resumes there, and a message to all reaches later ones", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  fixture = await createFixture({
    script: twoLevelsWith({ root: oneAfterAnother }),
    files: twoLevelFiles,
  });
  const one = fixture;
  const { "align-request": _, ...others } = one.answers;
  one.answers = others;
  // A request that was on its way when the app closed is sent again, word for word.
  const promptsTo = (role: string): ReadonlySet<string> =>
    new Set(
      one.standIn
        .requests()
        .filter(({ seen }) => seen.role === role && seen.prompt.startsWith("[EVENT message]"))
        .map(({ body }) => JSON.stringify(body)),
    );
  const part = (run: Parameters<Parameters<Fixture["until"]>[0]>[0], name: string) =>
    run.orchestrators.find((orchestrator) => orchestrator.name === name);
  await one.start();

  // The first reader does not use up what is meant for all; the other one has not even begun.
  await one.until((run) => promptsTo("O-A-1").size > 0 && part(run, "O-A-1")?.state === "sleeping");
  expect(part(one.engine.state().run ?? never(), "O-B-2")).toMatchObject({ state: "planned" });
  await one.reopen();

  await one.until((run) => part(run, "O-B-1")?.stage === "executing" && part(run, "O-B-1")?.phase === 1);
  await one.reopen();

  const question = await one.card("align-request");
  await one.reopen();
  // The same question is still there, and nobody answered it meanwhile.
  expect(await one.card("align-request")).toMatchObject({ id: question.id, nonce: question.nonce });
  await one.execute("inbox.answer", { ...question, decision: { kind: "answer", text: answer } });

  await one.until((run) => part(run, "O-B-2")?.stage === "executing");
  await one.reopen();
  await one.until((run) => run.stage === "integrating");
  await one.reopen();

  const run = await one.until(over, 600_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const show = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await show("src/server/storage.txt")).toBe("keeps users for 30 days");
  expect(await show("src/client/index.txt")).toBe("client together");
  expect(await show("src/index.txt")).toBe("all together");
  expect([promptsTo("O-A-1").size, promptsTo("O-B-1").size, promptsTo("O-B-2").size]).toEqual([1, 0, 1]);
  expect(run.workers.filter(({ role }) => role === "agent")).toHaveLength(4);
  expect(askedAgain(one.standIn.requests(), one.closings)).toEqual([]);
});

const never = (): never => {
  throw new Error("There is no run.");
};
