import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Usage } from "#shared/domain/spending/usage.ts";
import { shortened, startOf } from "#shared/domain/text/format-text.ts";
import {
  answerOf,
  asMessage,
  isAnswered,
  sendError,
  sendEvents,
  sendFault,
  sendJson,
  usageOf,
} from "./answer.ts";
import {
  InvalidRequest,
  inputTokens,
  PrefixCache,
  parseBody,
  readRequest,
  type WireBlock,
  type WireBody,
} from "./request.ts";
import type { Fault, Matcher, Scene, Script, Seen, SeenResult, Step } from "./script.ts";

export interface StandInOptions {
  readonly script: Script;
  readonly faults?: readonly Fault[];
  /** Milliseconds per about 20 characters, so that the user can watch. 0 in tests. */
  readonly pace?: number | (() => number);
  /** Other keys get a 401. Default: a key made for this stand-in. */
  readonly apiKey?: string;
  /** Names that `/v1/models` lists; any other is 404. Default: every name is known. */
  readonly models?: readonly string[];
  /** Milliseconds that an answer takes before its first word. 0 in tests. */
  readonly latencyMs?: number;
  /** Of those, how many until a streamed answer begins. Default: all. */
  readonly beginMs?: number;
  /** False: requests are counted but not stored, for runs of several hours. */
  readonly keepRequests?: boolean;
  /** 0 lets the system choose. */
  readonly port?: number;
  /** Tokens of the window: longer requests are refused. Default: none is too long. */
  readonly contextWindow?: number;
  /** Milliseconds since 1970, for what the cache still knows. */
  readonly now?: () => number;
  /** Longest request in bytes. Default: as the real one, 32 MB. */
  readonly maxBytes?: number;
}

export interface StandIn {
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
  /** Every request to `/v1/messages` so far, in order. */
  requests(): readonly StandInRequest[];
  /** How many there were. */
  count(): number;
  /** Steps of scenes that are not optional and that nothing has asked for: `role / scene / index`. */
  unusedSteps(): readonly string[];
  /** Requests without a matching scene; they got a 400 with the same text. */
  unmatched(): readonly string[];
  /** Adds a fault while it runs. */
  fail(fault: Fault): void;
  /**
   * Holds back the answers to these requests from now on, so that their callers are certainly waiting; they
   * are counted as usual. Returns a function that releases them.
   */
  hold(these: (seen: Seen) => boolean): () => void;
  /** Resolves when no client is connected any more and everything that was sent is in `requests()`. */
  alone(): Promise<void>;
}

export interface StandInRequest {
  readonly seen: Seen;
  readonly body: unknown;
  /** HTTP status, or the fault that it met. */
  readonly outcome: number | Fault["kind"];
  readonly place: string | null;
  /** What it was answered to cost; null: it was not answered. */
  readonly usage: Usage | null;
}

/** A model whose words are scripted, behind the real wire on 127.0.0.1. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { script, apiKey = "stand-in-key" } = options;
  const state: StandInState = {
    faults: (options.faults ?? []).map((fault) => ({ fault, left: fault.times ?? 1 })),
    cache: new PrefixCache(options.now),
    used: new Set(),
    unmatched: [],
    requests: [],
    count: 0,
    holds: new Set(),
  };
  let handling = 0;
  const server = createServer((request, response) => {
    handling += 1;
    void handle({ ...options, apiKey }, state, request, response)
      .finally(() => {
        handling -= 1;
      })
      .catch((error: unknown) => sendCaught(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    requests: () => state.requests,
    count: () => state.count,
    unusedSteps: () => places(script).filter((place) => !state.used.has(place)),
    unmatched: () => state.unmatched,
    fail(fault) {
      state.faults.push({ fault, left: fault.times ?? 1 });
    },
    async alone() {
      for (let quiet = 0; quiet < 3; ) {
        const connections = await new Promise<number>((resolve, reject) =>
          server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
        );
        // Three times in a row: accepted connections reach us one turn later.
        quiet = connections === 0 && handling === 0 ? quiet + 1 : 0;
        await sleep(quiet === 0 ? 5 : 0);
      }
    },
    hold(these) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const hold = { these, over: promise };
      state.holds.add(hold);
      return () => {
        state.holds.delete(hold);
        resolve();
      };
    },
  };
}

interface Chosen {
  readonly step: Step;
  /** `role / scene / index`, for reports. */
  readonly place: string;
}

/** The script has no answer to this request, which is in the message. */
class Unmatched extends Error {
  override readonly name = "Unmatched";
}

function see(request: WireBody): Seen {
  const system = (request.system ?? []).map((one) => one.text).join("\n");
  const role = [...system.matchAll(/^Hox-Role:[ \t]*(\S+)[ \t]*$/gm)].at(-1)?.[1] ?? "";
  const { messages } = request;
  const withText = messages.flatMap((message, index) =>
    message.role === "user" && message.content.some((one) => one.type === "text" && !isNote(one.text))
      ? [index]
      : [],
  );
  const latest = withText.at(-1) ?? 0;
  const calls = new Map<string, { name: string; input: unknown }>();
  for (const block of messages.flatMap((message) => message.content)) {
    if (block.type === "tool_use") calls.set(block.id, { name: block.name, input: block.input });
  }
  const results = (blocks: readonly WireBlock[]): SeenResult[] =>
    blocks.flatMap((one) => {
      if (one.type !== "tool_result") return [];
      const call = calls.get(one.tool_use_id);
      return [
        { tool: call?.name ?? "", input: call?.input, output: outputOf(one), isError: one.is_error ?? false },
      ];
    });
  return {
    role,
    model: request.model,
    system,
    tools: (request.tools ?? []).map((tool) => tool.name),
    opening: textOf(messages[withText[0] ?? 0]?.content ?? []),
    prompt: textOf(messages[latest]?.content ?? []),
    notes: messages
      .slice(latest)
      .flatMap(({ content }) =>
        content.flatMap((one) => (one.type === "text" && isNote(one.text) ? [one.text] : [])),
      ),
    turn: messages.slice(latest).filter((message) => message.role === "assistant").length,
    turns: messages.filter((message) => message.role === "assistant").length,
    results: results(messages.findLast(({ role }) => role === "user")?.content ?? []),
    history: results(messages.flatMap((message) => message.content)),
  };
}

const textOf = (blocks: readonly WireBlock[]): string =>
  blocks.flatMap((one) => (one.type === "text" && !isNote(one.text) ? [one.text] : [])).join("\n");

/** A note in the middle of a turn is not a new prompt. */
const isNote = (text: string): boolean => text.startsWith("[NOTE] ");

const outputOf = (result: Extract<WireBlock, { type: "tool_result" }>): string =>
  typeof result.content === "string"
    ? result.content
    : (result.content ?? [])
        .map((one) => (one.type === "text" ? one.text : `[${one.source.media_type}]`))
        .join("\n");

/** The step for a request, from its content alone. Throws `Unmatched`. */
function choose(script: Script, seen: Seen): Chosen {
  const name = routeFor(script, seen.role);
  const scenes = name === undefined ? undefined : script.routes[name];
  const shown = shortened(seen.prompt, 300);
  if (!scenes) throw new Unmatched(`No route for the role "${seen.role}". Its prompt was: ${shown}`);
  const scene = scenes.find((one) => matches(one.prompt, seen));
  if (!scene) throw new Unmatched(`No scene of ${name} fits the prompt of ${seen.role}: ${shown}`);
  const scripted = scene.steps[seen.turn];
  if (!scripted) {
    throw new Unmatched(
      `The scene "${scene.name}" of ${seen.role} has ${scene.steps.length} steps; asked for step ${seen.turn}. ` +
        `Last results: ${startOf(JSON.stringify(seen.results), 600)}`,
    );
  }
  const step = typeof scripted === "function" ? scripted(seen) : scripted;
  return { step, place: `${name} / ${scene.name} / ${seen.turn}` };
}

/** Every step that a complete run would use, as `role / scene / index`. */
const places = (script: Script): readonly string[] =>
  Object.entries(script.routes).flatMap(([role, scenes]) =>
    scenes
      .filter((scene: Scene) => !scene.optional)
      .flatMap((scene) => scene.steps.map((_, index) => `${role} / ${scene.name} / ${index}`)),
  );

function routeFor(script: Script, role: string): string | undefined {
  if (Object.hasOwn(script.routes, role)) return role;
  return Object.keys(script.routes)
    .filter((name) => name.endsWith("*") && role.startsWith(name.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0];
}

function matches(matcher: Matcher | undefined, seen: Seen): boolean {
  if (matcher === undefined) return true;
  if (typeof matcher === "string") return seen.prompt.includes(matcher);
  if (typeof matcher === "function") return matcher(seen);
  // A global expression keeps its place between calls, which would make the choice depend on history.
  return new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, "")).test(seen.prompt);
}

/** Its requests and state so far. */
interface StandInState {
  readonly faults: { readonly fault: Fault; left: number }[];
  readonly cache: PrefixCache;
  /** Places of the script that were asked for. */
  readonly used: Set<string>;
  readonly unmatched: string[];
  readonly requests: StandInRequest[];
  count: number;
  readonly holds: Set<{ readonly these: (seen: Seen) => boolean; readonly over: Promise<void> }>;
}

function takeFault({ faults }: StandInState, seen: Seen): Fault | undefined {
  const found = faults.find(
    ({ fault, left }) =>
      left > 0 &&
      (fault.role === undefined || fault.role === seen.role) &&
      (fault.turns === undefined || fault.turns === seen.turns),
  );
  if (found) found.left -= 1;
  return found?.fault;
}

async function handle(
  options: StandInOptions & { readonly apiKey: string },
  state: StandInState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("request-id", `req_${state.count}`);
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  if (givenKey(request) !== options.apiKey) {
    return sendError(response, 401, "authentication_error", "invalid API key");
  }
  if (!request.headers["anthropic-version"]) {
    return sendError(response, 400, "invalid_request_error", "anthropic-version: header is required");
  }
  if (request.method === "GET" && path === "/v1/models") {
    const data = (options.models ?? []).map((id) => ({ id, type: "model", display_name: id }));
    return sendJson(response, 200, { data, has_more: false, first_id: null, last_id: null });
  }
  const [, asked] = /^\/v1\/models\/(.+)$/u.exec(path) ?? [];
  if (request.method === "GET" && asked !== undefined) {
    const id = decodeURIComponent(asked);
    return options.models === undefined || options.models.includes(id)
      ? sendJson(response, 200, { id, type: "model", display_name: id, created_at: "2026-01-01T00:00:00Z" })
      : sendError(response, 404, "not_found_error", `model: ${id}`);
  }
  if (request.method !== "POST") return sendError(response, 404, "not_found_error", `${path} was not found`);
  const text = await bodyOf(request);
  if (Buffer.byteLength(text) > (options.maxBytes ?? 32_000_000))
    return sendError(response, 413, "request_too_large", "Request exceeds the maximum size");
  if (path === "/v1/messages/count_tokens") {
    const counted: WireBody = readRequest(parseBody(text), false);
    return sendJson(response, 200, { input_tokens: inputTokens(counted) });
  }
  if (path === "/v1/messages") return answerMessages(options, state, response, text);
  return sendError(response, 404, "not_found_error", `${path} was not found`);
}

async function answerMessages(
  options: StandInOptions,
  state: StandInState,
  response: ServerResponse,
  text: string,
): Promise<void> {
  const { script, models, contextWindow, pace = 0, latencyMs = 0, keepRequests = true } = options;
  const request = readRequest(parseBody(text), true);
  if (models && !models.includes(request.model)) throw new UnknownModel(`model: ${request.model}`);
  const seen = see(request);
  const note = (
    outcome: StandInRequest["outcome"],
    place: string | null,
    usage: Usage | null = null,
  ): void => {
    state.count += 1;
    if (keepRequests) state.requests.push({ seen, body: JSON.parse(text), outcome, place, usage });
  };
  const tooLong = tooLongFor(request, contextWindow);
  if (tooLong !== null) {
    note(400, null);
    throw new InvalidRequest(tooLong);
  }
  const fault = takeFault(state, seen);
  if (fault && isAnswered(fault)) {
    note(fault.answer ? "refused" : fault.kind, null);
    return sendFault(response, fault);
  }
  const chosen = chooseOrRefuse(script, seen, (message) => {
    state.unmatched.push(message);
    note(400, null);
  });
  const step: Step = fault?.kind === "refusal" ? { stop: "refusal" } : chosen.step;
  const cached = state.cache.use(request);
  const answer = answerOf(step, text, request.model, cached.usage, fault?.kind === "truncate");
  if (!fault) state.used.add(chosen.place);
  note(fault?.kind ?? 200, chosen.place, usageOf(answer));
  for (const hold of state.holds) if (hold.these(seen)) await hold.over;
  const waitMs = step.waitMs ?? latencyMs;
  const beginMs = Math.min(waitMs, request.stream ? (options.beginMs ?? waitMs) : waitMs);
  if (beginMs > 0) await sleep(beginMs);
  cached.keep();
  const paceNow = typeof pace === "number" ? () => pace : pace;
  if (request.stream) await sendEvents(response, answer, fault, { pace: paceNow, restMs: waitMs - beginMs });
  else sendJson(response, 200, asMessage(answer));
}

/** What the script says, or an error that says that it says nothing. */
function chooseOrRefuse(
  script: Script,
  seen: Seen,
  onUnmatched: (message: string) => void,
): ReturnType<typeof choose> {
  try {
    return choose(script, seen);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    onUnmatched(message);
    throw new InvalidRequest(message);
  }
}

function sendCaught(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (response.headersSent) response.destroy();
  else if (error instanceof UnknownModel) sendError(response, 404, "not_found_error", message);
  else if (error instanceof InvalidRequest || error instanceof SyntaxError || error instanceof Unmatched)
    sendError(response, 400, "invalid_request_error", message);
  else sendError(response, 500, "api_error", message);
}

function tooLongFor(request: WireBody, window: number | undefined): string | null {
  if (window === undefined) return null;
  const tokens = inputTokens(request);
  if (tokens > window) return `prompt is too long: ${tokens} tokens > ${window} maximum`;
  const answer = request.max_tokens ?? 0;
  return tokens + answer > window
    ? `input length and \`max_tokens\` exceed context limit: ${tokens} + ${answer} > ${window}, decrease input length or \`max_tokens\` and try again`
    : null;
}

class UnknownModel extends Error {
  override readonly name = "UnknownModel";
}

function givenKey(request: IncomingMessage): string | undefined {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const header = request.headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : undefined);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
