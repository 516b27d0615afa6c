import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { cacheLifetime } from "#shared/domain/spending/prices.ts";
import { createAnthropicDriver } from "./anthropic-driver.ts";
import type { ModelMessage } from "./driver-interface.ts";
import { priceOf } from "./price-table.ts";
import { createRateLimit } from "./rate-limit.ts";
import { defineScript } from "./stand-in/script.ts";
import { type StandIn, startStandIn } from "./stand-in/stand-in.ts";

/** The root orchestrator's requests in the bundled rehearsal: characters of what never changes, and of each message. */
const recorded = JSON.parse(
  readFileSync(new URL("testing/recorded-orchestrator.json", import.meta.url), "utf8"),
) as readonly {
  readonly event: string;
  readonly turn: number;
  readonly fixed: number;
  readonly messages: readonly (readonly ["user" | "assistant", number])[];
}[];

const model = "claude-sonnet-5-5";
const script = defineScript({ name: "cost", routes: { "*": [{ name: "all", steps: [{ say: "On." }] }] } });
let standIn: StandIn | null = null;
afterEach(() => standIn?.close());

/** Micro-dollars of the recorded input, asked through the real wire, with so many minutes of sleep before each event. */
async function costOf(
  minutes: number,
  lifetime: (sleeps: readonly number[]) => "5m" | "1h",
): Promise<number> {
  let now = 1_800_000_000_000;
  standIn = await startStandIn({ script, now: () => now });
  const driver = createAnthropicDriver({
    apiKey: standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: createRateLimit(),
  });
  let sum = 0;
  const sleeps: number[] = [];
  for (const [at, { turn, fixed, messages }] of recorded.entries()) {
    const isEvent = turn === 0 && at > 0;
    now += isEvent ? minutes * 60_000 : 10_000;
    if (isEvent) sleeps.push(minutes * 60_000);
    const answer = await driver.stream(
      {
        model,
        maxTokens: 100,
        system: "s".repeat(fixed),
        tools: [],
        messages: messages.map(([role, size], place): ModelMessage => {
          const text = `${place}`.padEnd(size, "x");
          return { role, content: [{ type: "text", text }] };
        }),
        requester: "O-A-1",
        cachedFor: lifetime(sleeps),
      },
      {},
      new AbortController().signal,
    );
    sum += priceOf({ ...answer.usage, output: 0 }, model);
  }
  await standIn.close();
  return sum;
}

test("an orchestrator that sleeps longer than five minutes pays less for an hour of cache, and the choice follows", async () => {
  for (const minutes of [1, 12]) {
    const costs = [
      await costOf(minutes, () => "5m"),
      await costOf(minutes, () => "1h"),
      await costOf(minutes, cacheLifetime),
    ] as const;
    const [short, long, chosen] = costs;
    if (minutes > 5) {
      expect(long).toBeLessThan(short * 0.5);
      expect(chosen).toBe(long);
    } else {
      expect(short).toBeLessThan(long);
      // The first two sleeps are not known yet.
      expect(chosen).toBeLessThan(long);
    }
  }
});

test("a prefix for an hour is found by other conversations after what came behind it is forgotten", async () => {
  let now = 1_800_000_000_000;
  standIn = await startStandIn({ script, now: () => now });
  const { apiKey, url: baseUrl } = standIn;
  const driver = createAnthropicDriver({ apiKey, baseUrl, scheduler: createRateLimit() });
  const usageOf = async (text: string) => {
    const { usage } = await driver.stream(
      {
        ...{ model, maxTokens: 100, system: `${"s".repeat(8_000)}\n\nO-A-1`, tools: [], requester: "O-A-1" },
        ...{ messages: [{ role: "user", content: [{ type: "text", text }] }], cachedFor: "prefix-1h" },
      },
      {},
      new AbortController().signal,
    );
    return usage;
  };
  const text = "x".repeat(4_000);
  const first = await usageOf(text);
  expect(first).toMatchObject({ cacheRead: 0, input: 0 });
  expect(first.cacheWrite1h).toBeGreaterThan(first.cacheWrite5m);
  now += 6 * 60_000;
  expect(await usageOf(text)).toMatchObject({
    ...{ cacheRead: first.cacheWrite1h, cacheWrite1h: 0, cacheWrite5m: first.cacheWrite5m },
  });
});
