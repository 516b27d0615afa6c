import { expect, test } from "vitest";
import { givenBack, takingOver } from "./takeover-words.ts";

test("only an agent that is in a request finishes it before its files are a person's", () => {
  expect(takingOver({ name: "agent-2", state: "thinking" })).toBe(
    "agent-2 finishes the request that it is in; then its files are yours.",
  );
  for (const state of ["waiting", "paused", "sleeping"] as const)
    expect(takingOver({ name: "agent-2", state }), state).toBe(
      "The files of agent-2 are saved; then they are yours.",
    );
});

test("an agent does not go on before its run does", () => {
  expect(givenBack("agent-2", { paused: "no" })).toBe("agent-2 goes on, with what you changed.");
  for (const paused of ["pausing", "paused", "budget"] as const)
    expect(givenBack("agent-2", { paused }), paused).toBe(
      "agent-2 has its task back, with what you changed. It goes on when the run does.",
    );
});
