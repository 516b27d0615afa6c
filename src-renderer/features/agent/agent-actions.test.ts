import { expect, test } from "vitest";
import { givenBack, takingOver } from "./agent-actions.ts";

test("only an agent that is in a request finishes it before its files are a user's", () => {
  expect(takingOver({ name: "agent-2", state: "thinking" })).toBe(
    "agent-2 finishes its current request. Then you can edit its files.",
  );
  for (const state of ["waiting", "paused", "sleeping"] as const)
    expect(takingOver({ name: "agent-2", state }), state).toBe(
      "Saving the files of agent-2. Then you can edit them.",
    );
});

test("an agent does not resume before its run does", () => {
  expect(givenBack("agent-2", { paused: "no" })).toBe("agent-2 continues with your changes.");
  for (const paused of ["pausing", "paused", "budget"] as const)
    expect(givenBack("agent-2", { paused }), paused).toBe(
      "The task is returned to agent-2 with your changes. It continues when the run resumes.",
    );
});
