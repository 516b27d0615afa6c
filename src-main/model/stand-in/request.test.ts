import { describe, expect, it } from "vitest";
import { readRequest } from "./request.ts";

const read = (messages: readonly object[]) =>
  readRequest({ model: "claude-sonnet-5-5", max_tokens: 100, messages }, true);

const user = { role: "user", content: "Write it." };
const assistant = { role: "assistant", content: "Written." };
const system = { role: "system", content: "Be brief from now on." };

describe("a request to the stand-in", () => {
  it("may have new instructions after a message of the user, also as its last message", () => {
    expect(read([user, system]).messages).toHaveLength(2);
    expect(read([user, system, assistant, user]).messages).toHaveLength(4);
  });

  it("is refused with instructions elsewhere, or with anything but text in them", () => {
    expect(() => read([system, user])).toThrow("first message must use the user role");
    expect(() => read([user, assistant, system])).toThrow("must follow a user message");
    const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
    expect(() => read([user, { role: "system", content: [call] }])).toThrow("cannot be in system messages");
  });
});
