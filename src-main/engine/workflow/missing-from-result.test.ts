/** The comparison on diffs that jj made: of changes that were merged, rebased, resolved and rewritten. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { compareWork } from "./missing-from-result.ts";

let made: TestRepository;
afterEach(() => made.remove());

type Files = Readonly<Record<string, string | null>>;

const first = `import { read } from "./read";

export function oldest(users) {
  const sorted = users.toSorted(byAge);
  return sorted.at(-1);
}

export function byAge(one, other) {
  return one.age - other.age;
}

export function names(users) {
  return users.map((user) => user.name);
}
`;
const oldest = first.slice(first.indexOf("export function oldest"), first.indexOf("export function byAge"));
const withoutOldest = first.replace(oldest, "");
const mails = `
export function mails(users) {
  const known = users.filter((user) => user.mail);
  return known.map((user) => user.mail);
}
`;
const phones = `
export function phones(users) {
  const reachable = users.filter((user) => user.phone !== null);
  return reachable.map((user) => user.phone.trim());
}
`;
const testOf = (name: string): string =>
  `import { ${name} } from "./users";\n\ntest("${name} of users", () => {\n  expect(${name}([])).toEqual([]);\n});\n`;

/** Makes a change of some files on others; null removes one. */
async function change(parents: readonly string[], files: Files): Promise<string> {
  await made.terminal(["new", "--quiet", ...parents]);
  for (const [path, text] of Object.entries(files)) {
    if (text === null) await rm(join(made.folder, "repo", path));
    else await made.write(path, text);
  }
  return made.terminal(["log", "--no-graph", "-r", "@", "-T", "change_id"]);
}

interface Series {
  /** The changes of agents, the first one's first. */
  readonly tasks: readonly string[];
  readonly result: string;
  /** Pairs of agents of which the plan has the first build on the second. */
  readonly builds?: readonly string[];
}

/** Lines on what is missing from a result. */
async function missingIn({ tasks, result, builds = [] }: Series): Promise<readonly string[]> {
  const { repository } = made;
  const changeOf = async (changeId: string) => ({
    changeId,
    commitId: (await repository.change(changeId))?.commitId ?? "",
  });
  const changes = await Promise.all(tasks.map(changeOf));
  const integration = await changeOf(result);
  const missing = await compareWork(repository, {
    commitId: integration.commitId,
    base: await made.terminal(["log", "--no-graph", "-r", "base", "-T", "commit_id"]),
    tasks: changes.map((one, at) => ({ worker: `agent-${at + 1}`, title: `Task ${at + 1}`, ...one })),
    integrations: [{ worker: "integrator", ...integration }],
    buildsOn: (worker, other) => builds.includes(`${worker} on ${other}`),
  });
  return missing.map(missingLine);
}

async function begin(files: Readonly<Record<string, string>> = { "users.js": first }): Promise<void> {
  made = await createTestRepository({ files });
  await made.terminal(["bookmark", "set", "base", "-r", "@-", "--quiet"]);
}

const mailTask: Files = { "users.js": first + mails, "mails.test.js": testOf("mails") };
const phoneTask: Files = { "users.js": first + phones, "phones.test.js": testOf("phones") };
/** Two tasks that add at the same place: their merge is in conflict. */
async function twoTasks(): Promise<readonly [string, string]> {
  await begin();
  return [await change(["base"], mailTask), await change(["base"], phoneTask)];
}

test("tells whose work is missing when the integrator keeps one side of a conflict", async () => {
  const tasks = await twoTasks();
  const result = await change(tasks, { ...mailTask, "phones.test.js": null });
  expect(await missingIn({ tasks, result })).toEqual([
    'agent-2 "Task 2": 1 test and 6 of 6 lines missing; missing tests: "phones of users" in phones.test.js; missing lines: phones.test.js (3 of 3), users.js (3 of 3); removed by integrator',
  ]);
});

test("tells both when the integrator keeps neither", async () => {
  const tasks = await twoTasks();
  const result = await change(tasks, { "users.js": first, "mails.test.js": null, "phones.test.js": null });
  expect(await missingIn({ tasks, result })).toEqual([
    expect.stringMatching(/^agent-1 "Task 1": 1 test and 6 of 6 lines missing.*; removed by integrator$/u),
    expect.stringMatching(/^agent-2 "Task 2": 1 test and 6 of 6 lines missing.*; removed by integrator$/u),
  ]);
});

test("tells nothing when the integrator keeps both, in another order, indented, wrapped and reworded", async () => {
  const tasks = await twoTasks();
  const both = (phones + mails).replaceAll("\n  ", "\n      ");
  const kept = await change(tasks, { "users.js": first + both });
  expect(await missingIn({ tasks, result: kept })).toEqual([]);
  const reworded =
    first +
    `\nexport function phones(users, region) {
  return users
    .filter((user) => user.phone !== null && user.region === region)
    .map((user) => user.phone.trim());
}

export function mails(users, region) {
  const known = users.filter((user) => user.mail && user.region === region);
  return known.map((user) => user.mail.toLowerCase());
}
`;
  const rewritten = await change(tasks, { "users.js": reworded });
  expect(await missingIn({ tasks, result: rewritten })).toEqual([]);
});

test("tells nothing when a formatter wraps or joins the lines of a task", async () => {
  await begin();
  const long =
    "export const adults = (users) => users.filter((user) => user.age >= 18).map((user) => user.name).toSorted(byName);\n";
  const wrapped = `export const adults = (users) =>
  users
    .filter((user) => user.age >= 18)
    .map((user) => user.name)
    .toSorted(byName);
`;
  const task = await change(["base"], { "users.js": first + long });
  const result = await change([task], { "users.js": first + wrapped });
  expect(await missingIn({ tasks: [task], result })).toEqual([]);
  const other = await change(["base"], { "users.js": first + wrapped });
  const joined = await change([other], { "users.js": first + long });
  expect(await missingIn({ tasks: [other], result: joined })).toEqual([]);
});

test("tells nothing when another task or the integrator renames the file", async () => {
  await begin();
  const edits = await change(["base"], { "users.js": withoutOldest + mails });
  const renames = await change([edits], { "users.js": null, "lib/people.js": withoutOldest + mails });
  const result = await change([renames], { "readme.md": "# Users\n" });
  expect(await missingIn({ tasks: [edits, renames], result })).toEqual([]);
  const later = await change([edits], {
    "users.js": null,
    "lib/all-users.js": withoutOldest.replace("./read", "../read") + mails,
  });
  expect(await missingIn({ tasks: [edits], result: later })).toEqual([]);
  // In the renamed file, too, a deletion that was undone is seen.
  const undone = await change([edits], { "users.js": null, "lib/all-users.js": first + mails });
  expect(await missingIn({ tasks: [edits], result: undone })).toEqual([
    'agent-1 "Task 1": 3 of 3 deleted lines restored; restored lines: lib/all-users.js (3 of 3); restored by integrator',
  ]);
});

test("tells nothing when a block moves, within its file or to another one", async () => {
  await begin();
  const adds = await change(["base"], { "users.js": first + mails });
  const within = await change([adds], { "users.js": mails + first });
  const apart = await change([adds], { "users.js": first, "mails.js": mails });
  expect(await missingIn({ tasks: [adds], result: within })).toEqual([]);
  expect(await missingIn({ tasks: [adds], result: apart })).toEqual([]);
  // A task that moves a block away has not deleted it.
  const moves = await change(["base"], { "users.js": withoutOldest, "oldest.js": oldest });
  const undone = await change([moves], { "users.js": first });
  expect(await missingIn({ tasks: [moves], result: undone })).toEqual([]);
});

test("tells that a test alone was dropped", async () => {
  const tasks = await twoTasks();
  const result = await change(tasks, {
    "users.js": first + mails + phones,
    "phones.test.js": testOf("phones").replace("test(", "test.skip("),
  });
  expect(await missingIn({ tasks, result })).toEqual([
    'agent-2 "Task 2": 1 test missing; missing tests: "phones of users" in phones.test.js; removed by integrator',
  ]);
});

test("tells which deleted lines are back, and who brought them back", async () => {
  await begin({ "users.js": first, "notes.txt": "one\ntwo\n" });
  const deletes = await change(["base"], { "users.js": withoutOldest, "notes.txt": null });
  const adds = await change(["base"], { "users.js": first + mails });
  const result = await change([deletes, adds], { "users.js": first + mails });
  expect(await missingIn({ tasks: [deletes, adds], result })).toEqual([
    'agent-1 "Task 1": 3 of 5 deleted lines restored; restored lines: users.js (3 of 3); restored by integrator',
  ]);
  // A result without the change at all still has them.
  const without = await change([adds], {});
  expect(await missingIn({ tasks: [deletes, adds], result: without })).toEqual([
    'agent-1 "Task 1": 5 of 5 deleted lines restored; restored lines: users.js (3 of 3), notes.txt (2 of 2)',
  ]);
});

test("tells nothing about deleted lines that others had reason to write again", async () => {
  await begin();
  const deletes = await change(["base"], { "users.js": withoutOldest });
  const again = await change([deletes], { "users.js": first });
  const tasks = [deletes, again];
  const result = await change([again], {});
  expect(await missingIn({ tasks, result, builds: ["agent-2 on agent-1"] })).toEqual([]);
  expect(await missingIn({ tasks, result })).toEqual([
    'agent-1 "Task 1": 3 of 3 deleted lines restored; restored lines: users.js (3 of 3); restored by agent-2',
  ]);
  // Written by a decision or by the user they are as they should be.
  expect(await missingIn({ tasks: [deletes], result })).toEqual([]);
  // An import that one task needs no more may serve another one.
  const drops = await change(["base"], { "users.js": withoutOldest.replace(/import.*\n/u, "") });
  const kept = await change([drops], { "users.js": withoutOldest });
  expect(await missingIn({ tasks: [drops], result: kept })).toEqual([]);
});

test("counts on what contracts and the user's own changes gave, and tasks removed", async () => {
  await begin();
  const contracts = await change(["base"], { "users.js": first + mails });
  const users = await change([contracts], { "users.js": first + mails + phones });
  const removes = await change([users], { "users.js": first });
  expect(await missingIn({ tasks: [removes], result: await change([removes], {}) })).toEqual([]);
  const undone = await change([removes], { "users.js": first + phones });
  expect(await missingIn({ tasks: [removes], result: undone })).toEqual([
    'agent-1 "Task 1": 3 of 6 deleted lines restored; restored lines: users.js (3 of 6); restored by integrator',
  ]);
});

test("tells that a task removed another one's lines while it resolved a conflict in its own change", async () => {
  await begin();
  const tasks = [await change(["base"], mailTask), await change(["base"], phoneTask)];
  const [one = "", other = ""] = tasks;
  await made.terminal(["rebase", "--quiet", "-r", other, "-d", one]);
  await made.terminal(["edit", "--quiet", other]);
  await made.write("users.js", first + phones);
  const result = await change([other], {});
  expect(await missingIn({ tasks, result })).toEqual([
    'agent-1 "Task 1": 3 of 6 lines missing; missing lines: users.js (3 of 3); removed by agent-2',
  ]);
  expect(await missingIn({ tasks, result, builds: ["agent-2 on agent-1"] })).toEqual([]);
  // Those are no lines that the other task had to delete: back again they are nobody's loss.
  const restored = await change([other], { "users.js": first + mails + phones });
  expect(await missingIn({ tasks, result: restored })).toEqual([]);
});

test("counts the work of an agent as it was last, not as it was before it was reworked", async () => {
  await begin();
  const task = await change(["base"], { "users.js": withoutOldest + mails });
  await made.terminal(["edit", "--quiet", task]);
  await made.write("users.js", `${first}\nexport const isAdult = ({ age }) => age >= 18;\n`);
  expect(await missingIn({ tasks: [task], result: await change([task], {}) })).toEqual([]);
  const early = await change([task], { "users.js": withoutOldest + mails });
  expect(await missingIn({ tasks: [task], result: early })).toEqual([
    expect.stringMatching(/^agent-1 "Task 1": 1 of 1 line missing.*; removed by integrator$/u),
  ]);
});
