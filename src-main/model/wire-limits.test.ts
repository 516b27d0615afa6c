import type Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventSizes, watchIdle } from "./stream-answer.ts";
import { AnthropicMeter } from "./usage-meter.ts";

const started = (usage: object): Anthropic.MessageStreamEvent =>
  ({ type: "message_start", message: { usage } }) as unknown as Anthropic.MessageStreamEvent;
const ended = (usage: object): Anthropic.MessageStreamEvent =>
  ({ type: "message_delta", usage }) as unknown as Anthropic.MessageStreamEvent;

describe("AnthropicMeter", () => {
  it.each([-1, -1e9, 0.5, 1e12, Number.NaN, Number.POSITIVE_INFINITY, "5", "many", true, [7], { n: 1 }])(
    "refuses %j as a number of tokens",
    (wrong) => {
      for (const field of [
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
      ])
        expect(() =>
          new AnthropicMeter().count(started({ input_tokens: 1, output_tokens: 1, [field]: wrong })),
        ).toThrow("used tokens");
      const meter = new AnthropicMeter();
      meter.count(started({ input_tokens: 10, output_tokens: 1 }));
      expect(() => meter.count(ended({ output_tokens: wrong }))).toThrow("used tokens");
      expect(meter.total().output).toBe(1);
    },
  );

  it("estimates the output of an answer that does not report it", () => {
    const meter = new AnthropicMeter();
    meter.count(started({ input_tokens: 10, output_tokens: 1 }));
    const delta = { type: "text_delta", text: "x".repeat(400) };
    meter.count({ type: "content_block_delta", index: 0, delta } as Anthropic.MessageStreamEvent);
    meter.count(ended({}));
    expect(meter.total()).toMatchObject({ input: 10, output: 100 });
  });
});

describe("watchIdle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Bytes come every minute, and an event with them where that is wanted; how long until the answer is ended. */
  async function minutesUntilEnd(hasEvents: boolean): Promise<{ minutes: number; problem: string }> {
    const onEnd = vi.fn();
    const watch = watchIdle(90_000, "a model", onEnd);
    let minutes = 0;
    for (; onEnd.mock.calls.length === 0 && minutes < 200; minutes++) {
      watch.watch(new Response(null));
      if (hasEvents) watch.event();
      await vi.advanceTimersByTimeAsync(60_000);
    }
    watch.stop();
    return { minutes, problem: watch.problem?.message ?? "" };
  }

  it("ends an answer after an hour, even with events", async () => {
    const { minutes, problem } = await minutesUntilEnd(true);
    expect(minutes).toBe(60);
    expect(problem).toContain("a model did not finish within 3600 s");
  });

  it("ends an answer of nothing but pings after six minutes", async () => {
    const { minutes, problem } = await minutesUntilEnd(false);
    expect(minutes).toBe(6);
    expect(problem).toContain("a model sent nothing but pings for 360 s");
  });
});

describe("eventSizes", () => {
  const feed = (parts: readonly string[]): string | null =>
    parts.reduce<string | null>((before, part) => before ?? size.add(new TextEncoder().encode(part)), null);
  const max = { event: 1_000, answer: 8_000 };
  let size = eventSizes(max);
  beforeEach(() => {
    size = eventSizes(max);
  });
  const half = "x".repeat(max.event / 2);

  it.each([
    ["one line", [half, half, "x"]],
    ["many lines", [`${half}\n`, `data: ${half}\n`]],
    ["many lines that end as on Windows", [`${half}\r\n`, `data: ${half}\r\n`]],
    ["an empty line that comes too late", [half, half, "x\n\n"]],
  ])("refuses an event that is too large: %s", (_, parts) => {
    expect(feed(parts)).toBe("an event of its response has more than 0.001 MB");
  });

  it.each(["\n\n", "\r\n\r\n"])("counts each event separately, between %j", (gap) => {
    expect(feed([`${half}${gap}`, half, `${gap}${half}${gap}`])).toBeNull();
  });

  it("refuses an answer of many events that is too large", () => {
    const parts = Array.from({ length: max.answer / max.event + 2 }, () => `${half}${half.slice(9)}\n\n`);
    expect(feed(parts)).toBe("its response has more than 0.008 MB");
  });
});
