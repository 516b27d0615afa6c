import { afterEach, expect, test } from "vitest";
import { maxAgentsAtOnce } from "#shared/domain/worker/roles.ts";
import { createTestClock } from "../testing/kit.ts";
import { createAnthropicDriver } from "./anthropic-driver.ts";
import type { ModelRequest } from "./driver-interface.ts";
import { createRateLimit } from "./rate-limit.ts";
import { defineScript } from "./stand-in/script.ts";
import { type StandIn, startStandIn } from "./stand-in/stand-in.ts";

const script = defineScript({
  name: "outage",
  routes: { "*": [{ name: "all", steps: [{ say: "Hello." }] }] },
});
const request = (requester: string): ModelRequest => ({
  model: "claude-sonnet-5-5",
  maxTokens: 100,
  system: "",
  tools: [],
  messages: [{ role: "user", content: [{ type: "text", text: "Speak." }] }],
  requester,
});

let standIn: StandIn | null = null;
afterEach(() => standIn?.close());

function drivers(url: string, apiKey: string) {
  const clock = createTestClock(1_800_000_000_000);
  const scheduler = createRateLimit({ clock, firstTryMs: 5_000 });
  const driver = createAnthropicDriver({ apiKey, baseUrl: url, scheduler, backoffMs: 1 });
  /** Lets that much time pass in which nothing that is asked may be missed. */
  const wait = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 5_000) {
      clock.pass(5_000);
      await expect.poll(() => scheduler.state.active).toBe(0);
    }
  };
  return { clock, scheduler, driver, wait };
}

test("all wait out ten minutes without the provider, with one line and one try at a time", async () => {
  standIn = await startStandIn({ script });
  const { url, apiKey } = standIn;
  const port = Number(new URL(url).port);
  await standIn.close();
  const { clock, scheduler, driver, wait } = drivers(url, apiKey);
  const lines = new Set<string>();
  let tries = 0;
  scheduler.onPause(({ pause }) => {
    if (pause) lines.add(`${pause.kind} since ${pause.since}: ${pause.reason}`);
    if (pause) tries += 1;
  });
  const begun = clock.now();
  const retries: string[] = [];
  const stop = new AbortController();
  const eight = Array.from({ length: 8 }, (_, agent) =>
    driver.stream(request(`agent-${agent}`), { retry: (reason) => retries.push(reason) }, stop.signal),
  );
  await expect.poll(() => scheduler.state.pause?.kind).toBe("outage");
  await expect.poll(() => scheduler.state).toMatchObject({ active: 0, waiting: 8 });
  await wait(600_000);
  expect(scheduler.state).toMatchObject({ active: 0, waiting: 8 });
  expect([...lines]).toEqual([
    expect.stringMatching(
      new RegExp(`^outage since ${begun}: The provider's server can't be reached: .*ECONNREFUSED`),
    ),
  ]);
  // 5, 10, 20, 40 seconds, then one each minute: whoever comes later asks nothing.
  expect(tries).toBeLessThanOrEqual(15);
  const late = driver.stream(request("agent-8"), {}, stop.signal);
  expect(scheduler.state.pause?.until).toBeGreaterThan(clock.now());
  // Nobody's transcript fills up.
  expect(retries.length).toBeLessThanOrEqual(8 * 3);

  // Whoever is stopped meanwhile leaves at once.
  const one = new AbortController();
  const stopped = driver.stream(request("agent-9"), {}, one.signal);
  one.abort();
  await expect(stopped).rejects.toMatchObject({ kind: "aborted" });

  standIn = await startStandIn({ script, port, apiKey });
  await wait(60_000);
  for (const answer of await Promise.all([...eight, late])) expect(answer.stopReason).toBe("end_turn");
  expect(scheduler.state).toMatchObject({ pause: null, active: 0, waiting: 0 });
  expect(standIn.count()).toBe(9);
});

test("the user may retry at once, and an overloaded provider is an outage too", async () => {
  standIn = await startStandIn({ script, faults: [{ kind: "overloaded", times: 5 }] });
  const { scheduler, driver } = drivers(standIn.url, standIn.apiKey);
  const answer = driver.stream(request("agent-1"), {}, new AbortController().signal);
  await expect.poll(() => scheduler.state).toMatchObject({ active: 0, pause: { kind: "outage" } });
  expect(standIn.count()).toBe(3);
  for (const count of [4, 5]) {
    scheduler.resume();
    await expect.poll(() => standIn?.count()).toBe(count);
    await expect.poll(() => scheduler.state.active).toBe(0);
    expect(scheduler.state.pause?.reason).toContain("overloaded");
  }
  scheduler.resume();
  expect((await answer).stopReason).toBe("end_turn");
});

test("a request that fails while others succeed blocks none and ends", async () => {
  standIn = await startStandIn({
    script: defineScript({
      name: "poison",
      routes: { "agent-1": [{ name: "all", steps: [{ say: "Hello." }] }], poison: script.routes["*"] ?? [] },
    }),
    faults: [{ kind: "server", role: "poison", times: 1_000 }],
  });
  const { scheduler, driver, clock } = drivers(standIn.url, standIn.apiKey);
  const { signal } = new AbortController();
  let over = false;
  const poison = driver
    .stream({ ...request("poison"), system: "Hox-Role: poison" }, {}, signal)
    .catch((error: unknown) => error)
    .finally(() => {
      over = true;
    });
  let answered = 0;
  while (!over) {
    const answer = driver.stream({ ...request("agent-1"), system: "Hox-Role: agent-1" }, {}, signal);
    const passing = setInterval(() => clock.pass(5_000), 1);
    await answer;
    clearInterval(passing);
    answered += 1;
  }
  expect(await poison).toMatchObject({ kind: "server", remedy: expect.any(String) });
  expect(answered).toBeGreaterThanOrEqual(5);
  expect(scheduler.state).toMatchObject({ pause: null, active: 0, waiting: 0 });
});

test("as many agents as there can be ask at the same time", async () => {
  const scheduler = createRateLimit();
  const { signal } = new AbortController();
  for (let agent = 1; agent <= maxAgentsAtOnce; agent++) void scheduler.acquire(`agent-${agent}`, signal);
  expect(scheduler.state).toMatchObject({ active: maxAgentsAtOnce, waiting: 0 });
});
