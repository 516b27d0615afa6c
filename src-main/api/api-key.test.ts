import { afterEach, describe, expect, it, test } from "vitest";
import { createAnthropicDriver } from "../model/anthropic-driver.ts";
import { createRateLimit } from "../model/rate-limit.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { createApiKey, verifyKey } from "./api-key.ts";

const accepts = async () => null;
const env = { ANTHROPIC_API_KEY: "usual-key-of-mine", WORK_KEY: "key-of-my-employer" };

test("the key is read only from the variable that the repository names", () => {
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

test("a saved key is used when the named variable is empty", async () => {
  const key = createApiKey(undefined, env);
  key.readFrom("NO_SUCH_KEY");
  await key.set("given-by-hand-1234", accepts);
  expect(key.get()).toBe("given-by-hand-1234");
  key.readFrom("WORK_KEY");
  expect(key.get()).toBe("key-of-my-employer");
  await expect(key.set("another-key-5678", accepts)).rejects.toThrow("WORK_KEY is set in the environment");
  // Whatever was named once is hidden from what commands print.
  expect(key.secrets()).toEqual(["usual-key-of-mine", "key-of-my-employer", "given-by-hand-1234"]);
});

describe("saving a key", () => {
  let provider: StandIn | null = null;
  afterEach(async () => {
    await provider?.close();
    provider = null;
  });
  const save = async (given: string, baseUrl: string) => {
    const key = createApiKey(undefined, {});
    const driver = createAnthropicDriver({ apiKey: given, baseUrl, scheduler: createRateLimit() });
    await key.set(given, () => verifyKey(driver));
    return key.view();
  };

  it("verifies it with the provider, and refuses one that the provider rejects", async () => {
    provider = await startStandIn({ script: { name: "none", routes: {} }, models: [] });
    const { apiKey, url } = provider;
    expect(await save(apiKey, url)).toMatchObject({ source: "session", isVerified: true, warning: null });
    await expect(save(`${apiKey}x`, url)).rejects.toMatchObject({
      message: "The provider rejected this key.",
      remedy: expect.stringContaining("Nothing was saved."),
    });
  });

  it("saves it with a warning when the provider is unreachable", async () => {
    provider = await startStandIn({ script: { name: "none", routes: {} } });
    const { apiKey, url } = provider;
    await provider.close();
    provider = null;
    expect(await save(apiKey, url)).toMatchObject({
      source: "session",
      isVerified: false,
      warning: expect.stringMatching(/^Saved, but not verified: .* Hox tests it in the first run\.$/u),
    });
  });
});
