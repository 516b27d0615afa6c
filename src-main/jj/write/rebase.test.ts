import { afterEach, expect, it } from "vitest";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let test: TestRepository;
afterEach(() => test.remove());

async function changes(count: number): Promise<readonly string[]> {
  const made: string[] = [];
  for (let at = 1; at <= count; at++)
    made.push((await test.repository.newChange({ parents: ["@-"], description: `change ${at}\n` })).changeId);
  return made;
}

const parentsOf = async (change: string): Promise<readonly string[]> =>
  (await test.repository.parentsOf(change)).map(({ changeId }) => changeId);

it("moves what waits for the same place in one process, and the rest in their order", async () => {
  test = await createTestRepository();
  const { repository } = test;
  const [base = "", other = "", ...moved] = await changes(7);
  const [one = "", two = "", three = "", four = "", five = ""] = moved;
  const since = await repository.currentOperation();
  const before = repository.processCount();
  const written = await Promise.all([
    repository.rebase({ source: one, onto: [base], actor: "agent-1" }),
    repository.rebase({ source: two, onto: [base], actor: "agent-1" }),
    repository.rebase({ source: three, onto: [other], actor: "agent-3" }),
    repository.rebase({ source: four, onto: [base], actor: "agent-4", request: "drag" }),
    repository.rebase({ source: five, onto: [base], actor: "agent-1" }),
    repository.rebase({ source: one, onto: [other], actor: "agent-1" }),
  ]);
  expect(repository.processCount() - before).toBe(3);
  const operations = await repository.operations({ since });
  expect(operations.map(({ actor, request }) => [actor, request])).toEqual([
    ["agent-4", "drag"],
    ["hox", null],
    ["agent-1", null],
  ]);
  expect(written.map(({ operation }) => operations.findIndex(({ id }) => id === operation))).toEqual([
    2, 2, 1, 0, 2, 1,
  ]);
  expect(await Promise.all(moved.map(parentsOf))).toEqual([[other], [base], [other], [base], [base]]);
});

it("fails alone where one of several is gone, and moves the others", async () => {
  test = await createTestRepository();
  const { repository } = test;
  const [base = "", one = "", gone = "", two = ""] = await changes(4);
  await repository.abandon(gone);
  const settled = await Promise.allSettled(
    [one, gone, two].map((source) => repository.rebase({ source, onto: [base], actor: "hox" })),
  );
  expect(settled).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { kind: "no-such-revision" } },
    { status: "fulfilled" },
  ]);
  expect(await Promise.all([one, two].map(parentsOf))).toEqual([[base], [base]]);
});
