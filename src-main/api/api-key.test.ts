import { expect, test } from "vitest";
import { createApiKey } from "./api-key.ts";

const env = { ANTHROPIC_API_KEY: "usual-key-of-mine", WORK_KEY: "key-of-my-employer" };

test("the key is read from the variable that the repository names, and from no other in its place", () => {
  const key = createApiKey(undefined, env);
  expect(key.get()).toBe("usual-key-of-mine");
  key.readFrom("WORK_KEY");
  expect(key.get()).toBe("key-of-my-employer");
  expect(key.view()).toMatchObject({ source: "environment", hint: "oyer" });
  key.readFrom("NO_SUCH_KEY");
  expect(() => key.get()).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining("Set NO_SUCH_KEY before starting Hox") }),
  );
  expect(key.view().source).toBe("none");
});

test("a key that was given by hand is used where the named variable is empty", async () => {
  const key = createApiKey(undefined, env);
  key.readFrom("NO_SUCH_KEY");
  await key.set("given-by-hand-1234");
  expect(key.get()).toBe("given-by-hand-1234");
  key.readFrom("WORK_KEY");
  expect(key.get()).toBe("key-of-my-employer");
  await expect(key.set("another-key-5678")).rejects.toThrow("WORK_KEY is set in the environment");
  // Whatever was named once is hidden from what commands print.
  expect(key.secrets()).toEqual(["usual-key-of-mine", "key-of-my-employer", "given-by-hand-1234"]);
});
