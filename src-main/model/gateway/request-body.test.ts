import { describe, expect, it } from "vitest";
import type { Wire } from "../usage-meter.ts";
import { prepareBody } from "./request-body.ts";

const prepare = (wire: Wire, body: object) => {
  const { text, ...rest } = prepareBody(
    wire,
    JSON.stringify({ model: "m", ...body }),
    wire === "gemini" ? "m" : null,
  );
  return { ...rest, body: JSON.parse(text) as Record<string, unknown> };
};

describe("prepareBody", () => {
  it.each([
    ["anthropic", "mcp_servers", [{ type: "url", url: "https://evil.example" }]],
    ["anthropic", "speed", "fast"],
    ["anthropic", "fallbacks", [{ model: "other" }]],
    ["anthropic", "compaction", {}],
    ["anthropic", "anything_new", 1],
    ["anthropic", "service_tier", "auto"],
    ["openai-responses", "background", true],
    ["openai-responses", "service_tier", "priority"],
    ["openai-chat", "web_search_options", {}],
    ["openai-chat", "models", ["other"]],
    ["gemini", "serviceTier", "priority"],
  ] as const)("removes what %s can't be metered with: %s", (wire, name, value) => {
    const { body, removed } = prepare(wire, { [name]: value });
    expect(body).not.toHaveProperty(name);
    expect(removed).toEqual([name]);
  });

  it.each([
    [
      "anthropic",
      [
        { name: "a", input_schema: {} },
        { type: "custom", name: "b" },
        { type: "bash_20250124", name: "bash" },
      ],
      [
        { type: "web_search_20250305", name: "web_search" },
        { type: "web_fetch_20250910", name: "web_fetch" },
        { type: "code_execution_20250825", name: "code_execution" },
        { type: "mcp_toolset", mcp_server_name: "x" },
        { type: 7 },
      ],
    ],
    [
      "openai-responses",
      [
        { type: "function", name: "a" },
        { type: "custom", name: "b" },
        { type: "namespace", name: "n", tools: [{ type: "function", name: "c" }] },
      ],
      [
        { type: "web_search" },
        { type: "mcp", server_url: "https://evil.example" },
        { type: "code_interpreter" },
        { type: "file_search" },
      ],
    ],
    ["openai-chat", [{ type: "function", function: { name: "a" } }], [{ type: "web_search_preview" }]],
    [
      "gemini",
      [{ functionDeclarations: [{ name: "a" }] }],
      [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }],
    ],
  ] as const)(
    "keeps the agent's own tools of %s, and no tool that runs at the provider",
    (wire, own, others) => {
      const { body, removed } = prepare(wire, { tools: [...own, ...others] });
      expect(body.tools).toEqual(own);
      expect(removed).toHaveLength(others.length);
    },
  );

  it("removes such tools inside of others", () => {
    const namespace = { type: "namespace", tools: [{ type: "mcp" }, { type: "function", name: "a" }] };
    expect(prepare("openai-responses", { tools: [namespace] }).body.tools).toEqual([
      { type: "namespace", tools: [{ type: "function", name: "a" }] },
    ]);
    const tool = { functionDeclarations: [], googleSearch: {} };
    expect(prepare("gemini", { tools: [tool] }).body.tools).toEqual([{ functionDeclarations: [] }]);
  });

  it("removes them from tools that come with a message, as Codex sends them", () => {
    const namespace = {
      type: "namespace",
      tools: [{ type: "web_search" }, { type: "custom", name: "exec" }],
    };
    const message = { type: "message", role: "user", content: "Go." };
    const { body, removed } = prepare("openai-responses", {
      input: [{ type: "additional_tools", role: "developer", tools: [namespace, { type: "mcp" }] }, message],
    });
    expect(body.input).toEqual([
      {
        type: "additional_tools",
        role: "developer",
        tools: [{ type: "namespace", tools: [{ type: "custom", name: "exec" }] }],
      },
      message,
    ]);
    expect(removed).toEqual(["tool web_search", "tool mcp"]);
  });

  it.each(["previous_response_id", "conversation", "prompt"])(
    "refuses what the provider has stored: %s",
    (name) => {
      expect(() => prepare("openai-responses", { [name]: "x" })).toThrow(name);
      expect(prepare("openai-responses", { [name]: null }).body[name]).toBeNull();
    },
  );

  it.each([
    [
      "anthropic",
      {
        messages: [{ content: [{ type: "image", source: { type: "url", url: "https://evil.example/x" } }] }],
      },
    ],
    [
      "anthropic",
      {
        messages: [
          {
            content: [
              {
                type: "tool_result",
                content: [{ type: "document", source: { type: "url", url: "http://a" } }],
              },
            ],
          },
        ],
      },
    ],
    [
      "openai-responses",
      { input: [{ content: [{ type: "input_image", image_url: "https://evil.example/x" }] }] },
    ],
    [
      "openai-responses",
      { input: [{ content: [{ type: "input_file", file_url: "https://evil.example/x" }] }] },
    ],
    [
      "openai-chat",
      { messages: [{ content: [{ type: "image_url", image_url: { url: "https://evil.example/x" } }] }] },
    ],
    ["gemini", { contents: [{ parts: [{ fileData: { fileUri: "https://evil.example/x" } }] }] }],
    ["gemini", { contents: [{ parts: [{ file_data: { file_uri: "https://evil.example/x" } }] }] }],
  ] as const)("refuses content of %s that the provider would fetch", (wire, body) => {
    expect(() => prepare(wire, body)).toThrow("would fetch");
  });

  it.each([
    [
      "anthropic",
      {
        messages: [
          {
            content: [{ type: "tool_use", input: { type: "url", url: "https://a", image_url: "https://a" } }],
          },
        ],
      },
    ],
    [
      "anthropic",
      {
        messages: [{ content: "See https://a.example" }],
        tools: [{ name: "a", input_schema: { file_url: "https://a" } }],
      },
    ],
    [
      "openai-chat",
      { messages: [{ content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] }] },
    ],
    ["gemini", { contents: [{ parts: [{ functionCall: { args: { file_url: "https://a" } } }] }] }],
  ] as const)("lets URLs of %s pass that are only text or data", (wire, body) => {
    expect(prepare(wire, body).body).toMatchObject(body);
  });

  it("refuses more values than any conversation has, and counts none in texts", () => {
    const many = (value: string): string => `[${Array(250_000).fill(value).join(",")}]`;
    for (const value of ["{}", "[]", "0"])
      expect(() => prepareBody("openai-chat", `{"model":"m","n":${many(value)}}`, null)).toThrow(
        "200000 values",
      );
    const text = `\\"${many("{}")}\\\\`;
    expect(prepare("openai-chat", { text }).body.text).toBe(text);
  });

  it("keeps numbers that JavaScript would round, and texts like them", () => {
    const given =
      '{"model":"m","a":[12345678901234567890,-0.12345678901234567890,1.5],"b":"\\"12345678901234567890"}';
    expect(prepareBody("gemini", given, "m").text).toBe(given);
  });

  it("estimates a third of a token for each character, and little for a picture", () => {
    expect(prepare("openai-chat", { messages: [{ content: "a ".repeat(3_000) }] }).inputEstimate).toBe(2_001);
    const picture = { image_url: { url: `data:image/png;base64,${"A".repeat(1_000_000)}` } };
    expect(prepare("openai-chat", { messages: [{ content: [picture] }] }).inputEstimate).toBe(2_001);
  });
});
