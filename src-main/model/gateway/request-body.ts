/** What the provider gets of a request: rebuilt, without what cannot be metered or would leave the sandbox. */
import { at, type Wire } from "../usage-meter.ts";
import { GatewayRefusal } from "./gateway-refusal.ts";

export interface PreparedBody {
  readonly text: string;
  readonly model: string;
  /** Tokens of the whole request, where the provider does not count them. */
  readonly inputEstimate: number;
  /** What was left out, by name. */
  readonly removed: readonly string[];
}

type Body = Record<string, unknown>;

/**
 * @param model named in the path; null: in the body
 * @throws GatewayRefusal for a body that is none, or has what may not be sent
 */
export function prepareBody(wire: Wire, given: string, model: string | null): PreparedBody {
  try {
    const body = parse(given);
    const named = model ?? at(body, "model");
    if (!isObject(body) || typeof named !== "string" || named === "" || named.length > 200)
      throw new GatewayRefusal("malformed", "The body is not a JSON object that names a model.");
    const removed = removeUnmetered(wire, body);
    const inputEstimate = Math.ceil(characters(body, true) * tokensPerCharacter);
    // Always written from what was read: no field can mean one thing here and another there.
    return { text: JSON.stringify(body), model: named, inputEstimate, removed };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      throw new GatewayRefusal("malformed", `The body can't be read as JSON: ${error.message}.`);
    throw error;
  }
}

/** As in a conversation of our own before its first answer: code has more tokens than prose. */
const tokensPerCharacter = 1 / 3;
/** Stands for a picture or another file, which costs about 2,000 tokens, however long it is. */
const fileCharacters = 6_000;

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Of a body. The longest conversations have some ten thousand; more would only keep the host busy. */
const maxValues = 200_000;

/** Numbers that JavaScript would round stay as they are. */
function parse(text: string): unknown {
  const { values, hasLongNumber } = scan(text);
  if (values > maxValues)
    throw new GatewayRefusal("too-large", `The body has more than ${maxValues} values. Send less.`);
  if (!hasLongNumber) return JSON.parse(text);
  const { rawJSON } = JSON as unknown as { rawJSON?(source: string): unknown };
  const keep = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source
      ? (rawJSON?.(context.source) ?? value)
      : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

/** What JSON has outside of its strings, without making values of it. */
function scan(text: string): { readonly values: number; readonly hasLongNumber: boolean } {
  let values = 0;
  let digits = 0;
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    // `[`, `{` and `,` begin a value.
    else if (code === 0x5b || code === 0x7b || code === 0x2c) values += 1;
    digits = code >= 0x30 && code <= 0x39 ? digits + 1 : 0;
    hasLongNumber ||= digits >= 16;
  }
  return { values, hasLongNumber };
}

const quote = 0x22;

function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** The fields of Anthropic's that pass: most others change the price, the payer or the model, or send content elsewhere. */
const anthropicFields = new Set([
  ...["model", "messages", "system", "tools", "tool_choice", "max_tokens", "stop_sequences", "stream"],
  ...["temperature", "top_k", "top_p", "thinking", "output_config", "output_format", "metadata"],
  ...["context_management", "cache_control"],
]);

/** Fields with which an answer has another price, runs after its end, or is made by others. */
const removedFields: Readonly<Record<Exclude<Wire, "anthropic">, readonly string[]>> = {
  "openai-responses": ["service_tier", "background"],
  "openai-chat": ["service_tier", "web_search_options", "models", "route", "plugins"],
  gemini: ["serviceTier", "service_tier"],
};

/** Fields whose content the provider has stored: nobody here knows what it costs or does. */
const refusedFields = ["previous_response_id", "conversation", "prompt"];

/** Tools that the agent carries out. All others run at the provider, at a price, and reach the network from there. */
const ownTools: Readonly<Record<Exclude<Wire, "gemini">, RegExp>> = {
  anthropic: /^(?:custom|(?:bash|text_editor|computer|memory|tool_search_tool_(?:regex|bm25))_\d{8})$/u,
  "openai-responses": /^(?:function|custom|local_shell|apply_patch|tool_search|namespace)$/u,
  "openai-chat": /^(?:function|custom)$/u,
};

/** Changes the body. @returns what was removed */
function removeUnmetered(wire: Wire, body: Body): readonly string[] {
  const removed = Object.keys(body).filter((name) =>
    wire === "anthropic" ? !anthropicFields.has(name) : removedFields[wire].includes(name),
  );
  for (const name of removed) delete body[name];
  if (wire === "openai-responses")
    for (const name of refusedFields)
      if (body[name] !== undefined && body[name] !== null)
        throw new GatewayRefusal(
          "unmetered",
          `"${name}" refers to content that the provider has stored, so its cost is unknown. Send the whole conversation.`,
        );
  // Tools may also come with the conversation, on one wire.
  const others = wire === "openai-responses" && Array.isArray(body.input) ? body.input.filter(isObject) : [];
  for (const offer of [body, ...others])
    if (Array.isArray(offer.tools)) offer.tools = offer.tools.flatMap((tool) => ownTool(wire, tool, removed));
  // Without it the answer would not say what it cost.
  if (wire === "openai-chat" && body.stream === true)
    body.stream_options = {
      ...(isObject(body.stream_options) ? body.stream_options : {}),
      include_usage: true,
    };
  return removed;
}

/** The tool, or of several in one what remains. */
function ownTool(wire: Wire, tool: unknown, removed: string[]): readonly unknown[] {
  if (wire !== "gemini") {
    const type = at(tool, "type") ?? "custom";
    if (typeof type === "string" && ownTools[wire].test(type))
      return isObject(tool) && Array.isArray(tool.tools)
        ? [{ ...tool, tools: tool.tools.flatMap((one) => ownTool(wire, one, removed)) }]
        : [tool];
    removed.push(`tool ${String(type).slice(0, 60)}`);
    return [];
  }
  if (!isObject(tool)) return [];
  const isOwn = (name: string): boolean => /^function_?declarations$/iu.test(name);
  for (const name of Object.keys(tool)) if (!isOwn(name)) removed.push(`tool ${name.slice(0, 60)}`);
  const own = Object.fromEntries(Object.entries(tool).filter(([name]) => isOwn(name)));
  return Object.keys(own).length === 0 ? [] : [own];
}

/** Arguments and schemas: data of tools, in which a URL is a word like any other. */
const dataFields = new Set(["tools", "input_schema", "parameters", "args", "response"]);

/**
 * Characters of all texts.
 *
 * @param isContent whether it is what the provider reads as content
 * @throws GatewayRefusal for content that the provider would have to fetch: a sandbox without network would have one
 */
function characters(value: unknown, isContent: boolean): number {
  if (typeof value === "string")
    return value.length > fileCharacters && isEncoded(value) ? fileCharacters : value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + characters(one, isContent), 0);
  if (!isObject(value)) return 0;
  if (isContent && isFetched(value))
    throw new GatewayRefusal(
      "remote-content",
      "The provider would fetch content of this request from the network. Send files and pictures inline.",
    );
  const isCall = value.type === "tool_use";
  return Object.entries(value).reduce(
    (sum, [name, inner]) =>
      sum + characters(inner, isContent && !dataFields.has(name) && !(isCall && name === "input")),
    0,
  );
}

const isEncoded = (text: string): boolean => text.startsWith("data:") || /^[\w+/=-]+$/u.test(text);

function isFetched(block: Body): boolean {
  const urls = [
    block.type === "url" ? block.url : undefined,
    at(block, "image_url", "url") ?? block.image_url,
    block.file_url,
    at(block.fileData ?? block.file_data, "fileUri") ?? at(block.fileData ?? block.file_data, "file_uri"),
  ];
  return urls.some((url) => typeof url === "string" && !url.startsWith("data:"));
}
