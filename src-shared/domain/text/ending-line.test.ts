import { expect, test } from "vitest";
import { endingLine } from "./ending-line.ts";

test("names what is waited for, and not more than fits on a line", () => {
  const agents = Array.from({ length: 16 }, (_, at) => `agent-${at + 1}`);
  const line = (count: number, waitsFor: string | null = null): string =>
    endingLine({ saving: agents.slice(0, count), waitsFor });
  expect(line(0)).toMatch(/^Saving… Ctrl-C again/u);
  expect(line(0, "a repository to be opened")).toContain("Waiting for a repository to be opened. Ctrl-C");
  expect(line(1)).toMatch(/^Saving the work of agent-1…/u);
  expect(line(4)).toContain("agent-1, agent-2, agent-3 and agent-4…");
  expect(line(16)).toContain("agent-1, agent-2, agent-3 and 13 others…");
  expect(line(16)).not.toContain("\n");
});
