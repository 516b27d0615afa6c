import { expect, test } from "vitest";
import type { Operation } from "#shared/graph/change.ts";
import { commitsNamed, formatOperation, operationRows } from "./operation-text.ts";

const [known, unknown] = ["a".repeat(40), "b".repeat(40)];
const subjects = { [known]: { changeId: "kkkk", title: "Write the view" } };
const operation = (description: string, actor = "hox"): Operation => ({
  ...{ id: description, parents: ["p"], time: 0, snapshot: false, workspace: null, request: null },
  description,
  actor,
});
const words = (description: string): string => formatOperation(operation(description), subjects);

test("an operation is said as one would, with titles in the place of ids", () => {
  expect(words(`describe commit ${known}`)).toBe("described “Write the view”");
  expect(words(`describe commit ${known} and 5 more`)).toBe("described “Write the view” and 5 more");
  expect(words(`edit file src/a.ts in commit ${known}`)).toBe("edited src/a.ts in “Write the view”");
  expect(words(`rebase commit ${known} and descendants`)).toBe(
    "rebased “Write the view” and its descendants",
  );
  expect(words(`point bookmark O-A-1/agent-2 to commit ${known}`)).toBe(
    "assigned “Write the view” to agent-2",
  );
  expect(words(`point bookmark main to commit ${known}`)).toBe("moved main to “Write the view”");
  expect(words(`restore to operation ${"c".repeat(128)}`)).toBe(
    "restored the repository to an earlier operation",
  );
  expect(words(`abandon commit ${unknown}`)).toBe("abandoned commit bbbbbbbb");
  // What nobody has put into words stays jj's own.
  expect(words(`split commit ${unknown}`)).toBe("split commit bbbbbbbb");
  expect(
    commitsNamed([operation(`squash commits into ${known}`), operation(`edit commit ${known}`)]),
  ).toEqual([known]);
});

test("successive housekeeping is one row, also by several actors", () => {
  const rows = operationRows(
    [
      operation("forget workspace integrator"),
      operation("forget workspace agent-2"),
      operation("forget workspace agent-1"),
      operation(`describe commit ${known}`, "agent-1"),
      operation("create initial working-copy commit in workspace agent-2", "agent-2"),
      operation("add workspace 'agent-2'", "agent-2"),
      operation("add workspace 'agent-1'", "agent-1"),
      operation(`edit commit ${known}`, "agent-1"),
      operation(`edit commit ${known}`, "agent-1"),
      operation("snapshot working copy", "agent-1"),
    ],
    subjects,
  );
  expect(rows.map(({ actor, words, all }) => [actor, words, all.length])).toEqual([
    ["hox", "removed 3 workspaces", 3],
    ["agent-1", "described “Write the view”", 1],
    [null, "set up 2 workspaces", 3],
    ["agent-1", "started editing “Write the view”", 1],
    ["agent-1", "started editing “Write the view”", 1],
    ["agent-1", "recorded files", 1],
  ]);
});
