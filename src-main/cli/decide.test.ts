import { describe, expect, it } from "vitest";
import type { InboxItem } from "#shared/contract/views.ts";
import { understand } from "./decide.ts";

const base = { id: "i", run: "r", at: 0, nonce: "n", shown: "s" };
const trouble = (task: boolean): InboxItem => ({
  ...base,
  kind: "trouble",
  title: "agent-2 cannot reach its model",
  detail: "The server is away.",
  remedy: "Look at the network.",
  worker: task ? "agent-2" : "O-A-1",
  ...(task ? { task } : {}),
});

describe("an answer at the terminal", () => {
  it("to one agent's trouble never ends the run, and is asked again when it means nothing for certain", () => {
    const to = (answer: string) => understand(trouble(true), answer);
    expect(to("y")).toEqual({ kind: "retry" });
    expect(to("yes, use the other file")).toEqual({ kind: "retry", words: "use the other file" });
    expect(to("pause")).toEqual({ kind: "hold" });
    expect(to("abandon")).toEqual({ kind: "abandon" });
    for (const unclear of ["", "n", "no", "why?", "stop", "yellow"]) expect(to(unclear), unclear).toBeNull();
  });

  it("to the run's trouble tries again or stops, and nothing else stops", () => {
    const to = (answer: string) => understand(trouble(false), answer);
    expect(to("yes")).toEqual({ kind: "retry" });
    expect(to("stop")).toMatchObject({ kind: "reject" });
    for (const unclear of ["", "n", "y please", "what?", "abandon"]) expect(to(unclear), unclear).toBeNull();
  });
});
