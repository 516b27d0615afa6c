import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JjError } from "../jj/process/errors.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { mistakeFoundByJj, revsetForJj } from "./graph-filter.ts";

let made: TestRepository;

beforeAll(async () => {
  made = await createTestRepository();
});
afterAll(async () => {
  await made.remove();
});

async function mistake(text: string) {
  try {
    await made.repository.query(await revsetForJj(made.repository, text));
  } catch (error) {
    if (error instanceof JjError) return mistakeFoundByJj(text, error);
    throw error;
  }
  return null;
}

describe("a revset error from jj", () => {
  it("is located in the user's text after a translated function", async () => {
    const text = "status(open) & prioriti(high)";
    const found = await mistake(text);
    expect(text.slice(found?.start, found?.end)).toBe("prioriti");
    expect(found?.expected).toEqual(["priority()"]);
  });

  it("is located at a revision that does not exist", async () => {
    const text = "kind(task) | no-such-name";
    const found = await mistake(text);
    expect(text.slice(found?.start, found?.end)).toBe("no-such-name");
    expect(found?.message).toContain("doesn't exist");
  });

  it("is located at the second of two equal words when jj means the second", async () => {
    const text = 'description("heads(") | heads(1, 2)';
    const found = await mistake(text);
    expect(found?.start).toBeGreaterThanOrEqual(text.lastIndexOf("heads("));
  });

  it("has no position when jj gives none", () => {
    const error = new JjError({
      kind: "failed",
      message: "Something else",
      args: [],
      stderr: "Error: Something else",
    });
    expect(mistakeFoundByJj("all()", error)).toBeNull();
  });
});
