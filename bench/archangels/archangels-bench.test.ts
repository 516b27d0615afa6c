import { afterEach, expect, test, vi } from "vitest";
import { startStandIn } from "../../src-main/model/stand-in/stand-in.ts";
import bench from "../archangels.bench.ts";
import type { Row } from "../row.ts";
import { planKeeperSeeds } from "./plan-keeper-seeds.ts";
import { scriptedAnswers } from "./scripted-words.ts";
import { securitySeeds } from "./security-seeds.ts";
import { simplicitySeeds } from "./simplicity-seeds.ts";
import { testsSeeds } from "./tests-seeds.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function rows(): Promise<readonly Row[]> {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const found: Row[] = [];
  for await (const row of bench.run()) found.push(row);
  return found;
}

test("without a key the words are scripted, every row says so, and the counts are those of the script", async () => {
  const found = await rows();
  expect(found).toHaveLength(16);
  expect(found.filter(({ name }) => !name.endsWith("(scripted words)"))).toEqual([]);
  expect(found.filter(({ ok }) => !ok)).toEqual([]);
  expect(found.filter(({ name }) => name.includes("missed")).map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  expect(found.filter(({ unit }) => unit === "¢").every(({ value }) => value > 0)).toBe(true);
});

test("with the name of a variable that holds a key the endpoint is asked for the model, and nothing is held against it", async () => {
  const standIn = await startStandIn({
    script: scriptedAnswers({
      "plan-keeper": planKeeperSeeds,
      security: securitySeeds,
      tests: testsSeeds,
      simplicity: simplicitySeeds,
    }),
    apiKey: "some-key",
  });
  vi.stubEnv("SOME_KEY", "some-key");
  vi.stubEnv("HOX_BENCH_KEY_ENV", "SOME_KEY");
  vi.stubEnv("HOX_BENCH_ENDPOINT", standIn.url);
  vi.stubEnv("HOX_BENCH_MODEL", "claude-opus-5-5");
  try {
    const found = await rows();
    expect(found.filter(({ name }) => name.includes("scripted"))).toEqual([]);
    expect(found.every(({ hold, ok }) => hold === "shown" && ok)).toBe(true);
    expect(new Set(standIn.requests().map(({ seen }) => seen.model))).toEqual(new Set(["claude-opus-5-5"]));
    expect(standIn.unmatched()).toEqual([]);
    expect(standIn.unusedSteps()).toEqual([]);
  } finally {
    await standIn.close();
  }
});

test("a variable without a key is named", async () => {
  vi.stubEnv("HOX_BENCH_KEY_ENV", "NO_SUCH_KEY");
  await expect(rows()).rejects.toThrow("The variable NO_SUCH_KEY that --key-env names is empty.");
});
