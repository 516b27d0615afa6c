import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let repo: TestRepository;
beforeEach(async () => {
  repo = await createTestRepository({ files: { "readme.md": "# Example\n" } });
});
afterEach(() => repo.remove());

async function change(
  description: string,
  parents: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { changeId } = await repo.repository.newChange({ parents, description, files });
  return changeId;
}

async function onto(): Promise<string> {
  const [commit] = await repo.repository.query("@-");
  return commit?.commitId ?? "";
}

/** What stands above `onto` up to a commit, oldest first: its subject, and those of its parents. */
async function series(from: string, to: string) {
  const commits = (await repo.repository.query(`${from}..${to}`)).toReversed();
  const all = [...commits, ...(await repo.repository.query(from))];
  const subjectOf = (commitId: string) =>
    all.find((one) => one.commitId === commitId)?.description.trim() ?? "?";
  return commits.map(({ description, parents }) => [description.trim(), parents.map(subjectOf).sort()]);
}

test("commits without files that merge nothing are left out of a landing series", async () => {
  const target = await onto();
  const [{ description = "" } = {}] = await repo.repository.query(target);
  const base = await change("Begin", [target]);
  const task = await change("The task", [base], { "api.ts": "api\n" });
  const result = await change("All together", [task]);
  const landed = await repo.repository.landingSeries({
    kind: "changes",
    result,
    descriptions: [
      { changeId: base, description: "Begin, for others" },
      { changeId: task, description: "The task, for others" },
    ],
    dispensable: [base, task, result],
  });
  expect(await series(target, landed.commitId)).toEqual([["The task, for others", [description.trim()]]]);
  expect(landed).toMatchObject({ changeId: task, copies: {} });
  // Whoever was cut off before the branch moved comes to the same again.
  const again = await repo.repository.landingSeries({
    kind: "changes",
    result,
    descriptions: [],
    dispensable: [base, task, result],
  });
  expect(again.commitId).toBe(landed.commitId);
});

test("merges stay if they merge something, and so does what is not dispensable", async () => {
  const target = await onto();
  const [{ description = "" } = {}] = await repo.repository.query(target);
  const base = await change("Begin", [target]);
  const [one, two] = [
    await change("One", [base], { "one.ts": "1\n" }),
    await change("Two", [base], { "two.ts": "2\n" }),
  ];
  const nothing = await change("Nothing to do", [base]);
  const note = await change("A user's own empty change", [two]);
  const result = await change("All together", [one, note, nothing]);
  const landed = await repo.repository.landingSeries({
    kind: "changes",
    result,
    descriptions: [],
    dispensable: [base, one, two, nothing, result],
  });
  const root = description.trim();
  expect(new Map((await series(target, landed.commitId)) as [string, string[]][])).toEqual(
    new Map([
      ["One", [root]],
      ["Two", [root]],
      ["A user's own empty change", ["Two"]],
      ["All together", ["A user's own empty change", "One"]],
    ]),
  );
});

test("without files, the result lands as it is", async () => {
  const target = await onto();
  const base = await change("Begin", [target]);
  const result = await change("All together", [base]);
  const landed = await repo.repository.landingSeries({
    kind: "changes",
    result,
    descriptions: [],
    dispensable: [base, result],
  });
  expect((await series(target, landed.commitId)).map(([subject]) => subject)).toEqual(["All together"]);
});

test("the last commit lands even if it is empty when it has to", async () => {
  const target = await onto();
  const [{ description = "" } = {}] = await repo.repository.query(target);
  const task = await change("The task", [target], { "api.ts": "api\n" });
  const result = await change("All together", [task]);
  const [of, whole] = [await repo.repository.change(task), await repo.repository.change(result)];
  const landed = (keepsRest: boolean) =>
    repo.repository.landingSeries({
      kind: "copies",
      result: whole?.commitId ?? "",
      onto: target,
      commits: [{ commitId: of?.commitId ?? "", description: "The task" }],
      keepsRest,
      rest: () => "All together\n\nHox-Overruled: It is needed.",
    });
  const shown = ["The task", [description.trim()]];
  expect(await series(target, (await landed(false)).commitId)).toEqual([shown]);
  expect(await series(target, (await landed(true)).commitId)).toEqual([
    shown,
    ["All together\n\nHox-Overruled: It is needed.", ["The task"]],
  ]);
});
