import { describe, expect, it } from "vitest";
import { noUsage, type Usage } from "#shared/domain/spending/usage.ts";
import { createMeter, type Wire } from "./usage-meter.ts";

/** What an answer of these events costs, with 77 tokens of input where nothing says how many. */
function cost(wire: Wire, events: readonly unknown[], isCut = false) {
  const meter = createMeter(wire);
  for (const event of events) meter.count(event);
  return meter.soFar(77, isCut);
}

const exactly = (usage: Partial<Usage>) => ({ usage: { ...noUsage, ...usage }, isEstimated: false });
const about = (usage: Partial<Usage>) => ({ usage: { ...noUsage, ...usage }, isEstimated: true });

const chat = (usage: unknown, content = "", choices = [{ delta: { content } }]) => ({ choices, usage });
const completed = (usage: unknown, status = "completed") => ({
  type: `response.${status}`,
  response: { status, usage },
});

describe("createMeter", () => {
  it.each([
    [
      "anthropic, whose end corrects its beginning",
      "anthropic",
      [
        { type: "message_start", message: { usage: { input_tokens: 0, output_tokens: 1 } } },
        { type: "message_delta", usage: { input_tokens: 40, cache_read_input_tokens: 5, output_tokens: 9 } },
      ],
      exactly({ input: 40, cacheRead: 5, output: 9 }),
    ],
    [
      "anthropic, not streamed",
      "anthropic",
      [
        {
          type: "message",
          usage: {
            input_tokens: 4,
            cache_creation_input_tokens: 30,
            cache_creation: { ephemeral_1h_input_tokens: 10 },
            output_tokens: 2,
          },
        },
      ],
      exactly({ input: 4, cacheWrite5m: 20, cacheWrite1h: 10, output: 2 }),
    ],
    [
      "responses that are incomplete",
      "openai-responses",
      [completed({ input_tokens: 8, output_tokens: 3 }, "incomplete")],
      exactly({ input: 8, output: 3 }),
    ],
    [
      "responses with a usage that fail",
      "openai-responses",
      [completed({ input_tokens: 8, output_tokens: 0 }, "failed")],
      exactly({ input: 8 }),
    ],
    [
      "chat that writes a cache",
      "openai-chat",
      [
        chat(
          {
            prompt_tokens: 10,
            prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
            completion_tokens: 1,
          },
          "",
          [],
        ),
      ],
      exactly({ input: 5, cacheRead: 3, cacheWrite5m: 2, output: 1 }),
    ],
    [
      "chat that leaves thoughts out of its output",
      "openai-chat",
      [chat({ prompt_tokens: 10, completion_tokens: 1, total_tokens: 31 }, "", [])],
      exactly({ input: 10, output: 21 }),
    ],
    [
      "chat with a usage in every chunk",
      "openai-chat",
      [chat({ prompt_tokens: 10, completion_tokens: 1 }), chat({ prompt_tokens: 10, completion_tokens: 6 })],
      exactly({ input: 10, output: 6 }),
    ],
    [
      "chat with more cached than there is",
      "openai-chat",
      [
        chat(
          { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 30 }, completion_tokens: 1 },
          "",
          [],
        ),
      ],
      exactly({ cacheRead: 30, output: 1 }),
    ],
    [
      "Gemini with results of tools and thoughts",
      "gemini",
      [
        {
          usageMetadata: {
            promptTokenCount: 10,
            toolUsePromptTokenCount: 4,
            cachedContentTokenCount: 6,
            candidatesTokenCount: 2,
            thoughtsTokenCount: 3,
            totalTokenCount: 19,
          },
        },
      ],
      exactly({ input: 8, cacheRead: 6, output: 5 }),
    ],
  ] as const)("counts %s", (_, wire, events, expected) => {
    expect(cost(wire, events)).toEqual(expected);
  });

  it.each([
    ["anthropic before its first event", "anthropic", [], about({ input: 77 })],
    [
      "anthropic without any usage",
      "anthropic",
      [
        { type: "content_block_delta", delta: { type: "text_delta", text: "12345678" } },
        { type: "message_stop" },
      ],
      about({ input: 77, output: 2 }),
    ],
    [
      "responses by their text and their encrypted thoughts",
      "openai-responses",
      [
        {
          type: "response.output_item.done",
          item: { type: "reasoning", encrypted_content: "x".repeat(400) },
        },
        { type: "response.output_text.delta", delta: "x".repeat(40) },
      ],
      about({ input: 77, output: 110 }),
    ],
    [
      "chat by its text, thoughts and calls",
      "openai-chat",
      [
        chat(null, "x".repeat(40)),
        {
          choices: [
            {
              delta: { reasoning: "x".repeat(40), tool_calls: [{ function: { arguments: "x".repeat(40) } }] },
            },
          ],
        },
      ],
      about({ input: 77, output: 30 }),
    ],
    [
      "chat that has said too little so far",
      "openai-chat",
      [chat({ prompt_tokens: 10, completion_tokens: 1 }, "x".repeat(400))],
      about({ input: 10, output: 100 }),
    ],
    [
      "Gemini by what it has said so far",
      "gemini",
      [{ usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 7, thoughtsTokenCount: 3 } }],
      about({ input: 10, output: 10 }),
    ],
  ] as const)("estimates a cut answer of %s", (_, wire, events, expected) => {
    expect(cost(wire, events, true)).toEqual(expected);
  });

  it.each([
    ["anthropic", [{ type: "error", error: { type: "overloaded_error" } }]],
    ["openai-responses", [completed(null, "failed")]],
    ["openai-responses", [{ type: "error", message: "Slow down." }]],
    ["openai-chat", [{ error: { message: "Slow down." } }]],
    ["gemini", [{ error: { code: 429 } }]],
  ] as const)("counts nothing for a refusal of %s in a stream", (wire, events) => {
    expect(cost(wire, events)).toBeNull();
  });

  it.each([
    [
      "anthropic",
      [
        { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } },
        { type: "error" },
      ],
      about({ input: 9, output: 1 }),
    ],
    ["openai-chat", [chat(null, "x".repeat(40)), { error: {} }], about({ input: 77, output: 10 })],
  ] as const)("counts what %s has done before an error", (wire, events, expected) => {
    expect(cost(wire, events)).toEqual(expected);
  });

  it.each(["anthropic", "openai-responses", "openai-chat", "gemini"] as const)(
    "takes any JSON of %s for an event",
    (wire) => {
      for (const event of [
        null,
        7,
        "x",
        [],
        {},
        { type: "message_start" },
        { type: "message_delta" },
        { choices: {}, candidates: 3, usage: "x", usageMetadata: [] },
      ])
        expect(cost(wire, [event]), JSON.stringify(event)).toMatchObject({
          isEstimated: expect.any(Boolean),
        });
    },
  );
});
