import { expect, test } from "vitest";
import { beyondTask, formatOutOfScopeFile } from "./out-of-scope-files.ts";

const given = {
  claims: ["src/api/"],
  contracts: ["src/api/contract.ts", "src/contract.ts"],
  others: [{ title: "Write the store", claims: ["src/store/**", "src/*.sql"] }],
};

test("work inside its claim reports nothing; contracts, others' files and unclaimed files are listed", () => {
  expect(beyondTask(["src/api/get.ts", "src/api/deep/put.ts"], given)).toEqual([]);
  expect(
    beyondTask(["src/contract.ts", "src/api/contract.ts", "src/users.sql", "readme.md"], given).map(
      formatOutOfScopeFile,
    ),
  ).toEqual([
    "src/contract.ts: a contract that others rely on",
    // Its claim is wide enough for it, and others rely on it all the same.
    "src/api/contract.ts: a contract that others rely on",
    "src/users.sql: belongs to the task “Write the store”",
    "readme.md: not a file of its task",
  ]);
});

test("a task without claims reports only others' files", () => {
  expect(beyondTask(["readme.md", "src/store/rows.ts"], { ...given, claims: [] })).toEqual([
    { path: "src/store/rows.ts", of: "task", task: "Write the store" },
  ]);
});
