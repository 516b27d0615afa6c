import { createHash, createHmac } from "node:crypto";
import { z } from "zod";

const cacheControl = z
  .object({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
  .nullish();
const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheControl }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z
      .union([
        z.string(),
        z.array(
          z.discriminatedUnion("type", [
            z.object({ type: z.literal("text"), text: z.string() }),
            z.object({
              type: z.literal("image"),
              source: z.object({
                type: z.literal("base64"),
                media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
                data: z.base64().max(5 * 2 ** 20, "image exceeds 5 MB maximum"),
              }),
            }),
          ]),
        ),
      ])
      .optional(),
    is_error: z.boolean().optional(),
    cache_control: cacheControl,
  }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
]);
const textBlocks = z.array(
  z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheControl }),
);

const body = z.object({
  model: z.string().min(1),
  max_tokens: z.number().int().positive().optional(),
  stream: z.boolean().optional(),
  system: z
    .union([
      z.string().transform((text) => [{ type: "text" as const, text, cache_control: undefined }]),
      textBlocks,
    ])
    .optional(),
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant", "system"]),
        content: z.union([
          z.string().transform((text) => [{ type: "text" as const, text, cache_control: undefined }]),
          z.array(block),
        ]),
      }),
    )
    .min(1, "at least one message is required"),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal("object") }),
        cache_control: cacheControl,
      }),
    )
    .optional(),
  tool_choice: z.looseObject({ type: z.string() }).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  output_config: z
    .looseObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional() })
    .optional(),
});

export type WireBody = z.infer<typeof body>;
export type WireBlock = z.infer<typeof block>;

/** What the real server answers with 400 `invalid_request_error`. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
}

/** The text of a request as JSON. Half a sign, which JSON can write and UTF-8 cannot, is refused like broken JSON. */
export function parseBody(text: string): unknown {
  const json: unknown = JSON.parse(text, (name, value: unknown) => {
    if (!name.isWellFormed() || (typeof value === "string" && !value.isWellFormed()))
      throw new InvalidRequest(
        "The request body is not valid JSON: no low surrogate in string: line 1 column 1",
      );
    return value;
  });
  return json;
}

/** Reads a request the way the real server does and refuses what it refuses. Throws `InvalidRequest`. */
export function readRequest(json: unknown, needsMaxTokens: boolean): WireBody {
  if (typeof json === "object" && json !== null) {
    for (const name of ["temperature", "top_p", "top_k"]) {
      if (name in json) throw new InvalidRequest(`${name}: this model does not support ${name}`);
    }
  }
  const parsed = body.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new InvalidRequest(`${issue?.path.join(".") ?? "body"}: ${issue?.message ?? "invalid"}`);
  }
  const request = parsed.data;
  if (needsMaxTokens && request.max_tokens === undefined)
    throw new InvalidRequest("max_tokens: Field required");
  const choice = request.tool_choice?.type;
  if (choice === "tool" || choice === "any") {
    throw new InvalidRequest(`tool_choice.type: forced tool use (${choice}) is not supported by this model`);
  }
  const names = (request.tools ?? []).map((tool) => tool.name);
  if (new Set(names).size < names.length) throw new InvalidRequest("tools: Tool names must be unique.");
  refuseBrokenMessages(request.messages);
  refuseTooManyCacheMarks(request);
  return request;
}

/** Which blocks the messages of a role may have. */
const blocksOf: Readonly<Record<WireBody["messages"][number]["role"], (type: WireBlock["type"]) => boolean>> =
  {
    user: (type) => type === "text" || type === "tool_result",
    assistant: (type) => type !== "tool_result",
    // New instructions in the middle of a conversation, which leave the cached prefix as it is.
    system: (type) => type === "text",
  };

function refuseBrokenMessages(messages: WireBody["messages"]): void {
  if (messages[0]?.role !== "user")
    throw new InvalidRequest("messages: first message must use the user role");
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (message.content.length === 0) throw new InvalidRequest(`${at}: content must not be empty`);
    if (message.role === "system" && messages[index - 1]?.role === "assistant")
      throw new InvalidRequest(`${at}: a system message must follow a user message`);
    const answered = new Set(
      message.content.flatMap((one) => (one.type === "tool_result" ? [one.tool_use_id] : [])),
    );
    for (const id of answered) {
      if (!open.has(id)) {
        throw new InvalidRequest(`${at}: unexpected tool_use_id found in tool_result blocks: ${id}`);
      }
    }
    const missing = [...open].filter((id) => !answered.has(id));
    if (missing.length > 0) {
      throw new InvalidRequest(
        `${at}: tool_use ids were found without tool_result blocks: ${missing.join(", ")}`,
      );
    }
    const firstOther = message.content.findIndex((one) => one.type !== "tool_result");
    if (firstOther >= 0 && message.content.slice(firstOther).some((one) => one.type === "tool_result")) {
      throw new InvalidRequest(`${at}: tool_result blocks must come first`);
    }
    open = new Set();
    for (const one of message.content) {
      if (one.type === "text" && one.text === "")
        throw new InvalidRequest(`${at}: text content blocks must be non-empty`);
      const wrongSide = !blocksOf[message.role](one.type);
      if (wrongSide)
        throw new InvalidRequest(`${at}: ${one.type} blocks cannot be in ${message.role} messages`);
      if (one.type === "tool_use") open.add(one.id);
      if (one.type === "thinking" && one.signature !== sign(one.thinking)) {
        throw new InvalidRequest(`${at}: thinking blocks cannot be modified: invalid signature`);
      }
    }
  }
  if (messages.at(-1)?.role === "assistant") {
    throw new InvalidRequest(
      "messages: the conversation must end with a user message (prefill is not supported)",
    );
  }
}

function refuseTooManyCacheMarks(request: WireBody): void {
  const marked = [
    ...(request.tools ?? []),
    ...(request.system ?? []),
    ...request.messages.flatMap((message) => message.content),
  ].filter((one) => "cache_control" in one && one.cache_control);
  const lifetimes = marked.map((one) => ("cache_control" in one && one.cache_control?.ttl) || "5m");
  if (
    lifetimes.includes("1h") &&
    lifetimes.lastIndexOf("1h") > lifetimes.indexOf("5m") &&
    lifetimes.includes("5m")
  )
    throw new InvalidRequest(
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    );
  if (marked.length > 4) throw new InvalidRequest("a maximum of 4 blocks with cache_control may be provided");
}

/** The same in every process, so that a conversation can resume after a restart. */
export const sign = (thinking: string): string =>
  createHmac("sha256", "hox stand-in").update(thinking).digest("base64");

/** Four characters make one token, roughly. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4);

export interface InputUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

const lifetimeMs = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const;

/**
 * Remembers prefixes the way the provider's cache does: up to each mark, per model, equal to the byte, for as long as the
 * mark says since they were last used, and from the beginning of the answer on.
 */
export class PrefixCache {
  readonly #seen = new Map<string, { until: number; readonly lifetime: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @returns `keep` has to be called when the answer begins */
  use(request: WireBody): { readonly usage: InputUsage; readonly keep: () => void } {
    const hash = createHash("sha256").update(request.model);
    const now = this.#now();
    let tokens = 0;
    let read = 0;
    let written = 0;
    let writtenForAnHour = 0;
    const marks: { readonly prefix: string; readonly lifetime: number }[] = [];
    for (const part of partsOf(request)) {
      hash.update(part.text).update("\0");
      tokens += tokensIn(part.text);
      const prefix = hash.copy().digest("hex");
      // A prefix is found where an earlier request put its mark, whether or not this one marks it too.
      const known = this.#seen.get(prefix);
      if (known && known.until >= now) {
        read = tokens;
        known.until = now + known.lifetime;
      }
      if (part.mark === null) continue;
      written = tokens;
      if (part.mark === "1h") writtenForAnHour = tokens;
      marks.push({ prefix, lifetime: lifetimeMs[part.mark] });
    }
    const keep = (): void => {
      for (const { prefix, lifetime } of marks) {
        const known = this.#seen.get(prefix);
        if (!known || known.until < now || known.lifetime < lifetime)
          this.#seen.set(prefix, { until: now + lifetime, lifetime });
      }
    };
    const creation = Math.max(0, written - read);
    // What is marked for an hour comes first.
    const forAnHour = Math.max(0, writtenForAnHour - read);
    const usage: InputUsage = {
      input_tokens: tokens - read - creation,
      cache_creation_input_tokens: creation,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: creation - forAnHour,
        ephemeral_1h_input_tokens: forAnHour,
      },
    };
    return { usage, keep };
  }
}

export const inputTokens = (request: WireBody): number =>
  partsOf(request).reduce((sum, part) => sum + tokensIn(part.text), 0);

/** The cache's order: tools, system, messages. */
function partsOf(request: WireBody): readonly { text: string; mark: "5m" | "1h" | null }[] {
  const blocks: readonly object[] = [
    ...(request.tools ?? []),
    ...(request.system ?? []),
    ...request.messages.flatMap((message) =>
      message.content.map((block) => ({ ...block, role: message.role })),
    ),
  ];
  return blocks.map((block) => {
    const control = "cache_control" in block ? (block.cache_control as { ttl?: "5m" | "1h" } | null) : null;
    const text = JSON.stringify({ ...block, cache_control: undefined }, withoutPictures);
    return { text, mark: control == null ? null : (control.ttl ?? "5m") };
  });
}

/** A picture costs by its size in pixels, whatever its bytes: here about as much as the largest. */
const withoutPictures = (name: string, value: unknown): unknown =>
  name === "data" && typeof value === "string" && value.length > 6_400
    ? `${createHash("sha256").update(value).digest("hex")}${"x".repeat(6_336)}`
    : value;
