/** The provider of one agent's model, on 127.0.0.1: the agent's own wire, and words that a test gives it one by one. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { answerOf, sendError, sendEvents, sendJson, usageOf } from "../../src-main/model/stand-in/answer.ts";
import {
  InvalidRequest,
  inputTokens,
  PrefixCache,
  parseBody,
  readRequest,
} from "../../src-main/model/stand-in/request.ts";
import {
  startWiresStandIn,
  type WireAnswer,
  type WireCall,
} from "../../src-main/model/stand-in/testing/wires-stand-in.ts";
import { noUsage, type Usage } from "../../src-shared/domain/spending/usage.ts";
import type { Wire } from "../../src-shared/domain/worker/agent-choice.ts";

/** What the model says and calls in one answer. */
interface Words {
  readonly say?: string;
  readonly calls?: readonly WireCall[];
}

/** A request for the agent's next step, which waits for its answer. */
export interface Asked {
  /** The whole body. */
  readonly text: string;
  readonly model: string;
  /** Whether the agent has given up. */
  isCut(): boolean;
  answer(words: Words): void;
}

export interface Provider {
  readonly url: string;
  readonly apiKey: string;
  /** The next request for a step; those that were given up in the meantime are passed over. @throws Error after a time */
  next(what: string): Promise<Asked>;
  /** Requests for a step that wait for an answer or for `next`. */
  waiting(): number;
  /** Answers every request for a step from now on. */
  answerAll(words: (asked: Asked) => Words): void;
  /** All that its answers were said to cost. */
  usage(): Usage;
  /** By model, how many requests it answered. */
  readonly answered: ReadonlyMap<string, number>;
  /** What it refused. */
  readonly refused: readonly string[];
  close(): Promise<void>;
}

/** The key that no agent may see. */
export const providerKey = "sk-canary-real-agents-0123456789";

const patienceMs = 90_000;
/** Agents that ask without end are stopped. */
const maxRequests = 300;
/** Of each answer on wires that do not count for themselves. */
const wireUsage = { input: 1_000, cached: 400, output: 20 };
const counted: Usage = { ...noUsage, input: 600, cacheRead: 400, output: 20 };

/** The steps that wait, and those who wait for one. */
class Steps {
  readonly #waiting: Asked[] = [];
  #all: ((asked: Asked) => Words) | null = null;
  #wake: () => void = () => undefined;
  #usage = noUsage;
  readonly answered = new Map<string, number>();
  readonly refused: string[] = [];
  requests = 0;

  ask(text: string, model: string, isCut: () => boolean): Promise<Words> {
    return new Promise((resolve) => {
      const asked: Asked = { text, model, isCut, answer: resolve };
      if (this.#all) return resolve(this.#all(asked));
      this.#waiting.push(asked);
      this.#wake();
    });
  }

  count(model: string, usage: Usage): void {
    this.answered.set(model, (this.answered.get(model) ?? 0) + 1);
    const add = (name: keyof Usage): number => this.#usage[name] + usage[name];
    this.#usage = {
      input: add("input"),
      output: add("output"),
      cacheRead: add("cacheRead"),
      cacheWrite5m: add("cacheWrite5m"),
      cacheWrite1h: add("cacheWrite1h"),
    };
  }

  async next(what: string): Promise<Asked> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const asked = this.#waiting.shift();
      if (asked && !asked.isCut()) return asked;
      if (asked) continue;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`${what} did not come within ${patienceMs / 1000} s`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  waiting(): number {
    return this.#waiting.filter((asked) => !asked.isCut()).length;
  }

  answerAll(words: (asked: Asked) => Words): void {
    this.#all = words;
    for (const asked of this.#waiting.splice(0)) asked.answer(words(asked));
  }

  usage(): Usage {
    return this.#usage;
  }
}

/**
 * @param isStep whether a request with these tools to this model asks for a step; all others, such as those for a title, are answered
 *   at once
 */
export async function startProvider(
  wire: Wire,
  isStep: (tools: readonly string[], model: string) => boolean,
): Promise<Provider> {
  const steps = new Steps();
  const server = wire === "anthropic" ? await startAnthropic(steps, isStep) : await startOther(steps, isStep);
  return {
    ...server,
    apiKey: providerKey,
    next: (what) => steps.next(what),
    waiting: () => steps.waiting(),
    answerAll: (words) => steps.answerAll(words),
    usage: () => steps.usage(),
    answered: steps.answered,
    refused: steps.refused,
  };
}

type Server = Pick<Provider, "url" | "close">;
type IsStep = Parameters<typeof startProvider>[1];

/** A title, or another word on the side. */
const besides: Words = { say: "Write the file" };

/** As strict as the stand-in of Hox's own models: the same code reads and answers. */
async function startAnthropic(steps: Steps, isStep: IsStep): Promise<Server> {
  const cache = new PrefixCache();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    const text = await textOf(request);
    if (request.headers["x-api-key"] !== providerKey)
      return sendError(response, 401, "authentication_error", "invalid API key");
    if (request.method !== "POST" || !path.startsWith("/v1/messages"))
      return sendError(response, 404, "not_found_error", `${path} was not found`);
    const body = readRequest(parseBody(text), path === "/v1/messages");
    if (path !== "/v1/messages") return sendJson(response, 200, { input_tokens: inputTokens(body) });
    if (++steps.requests > maxRequests)
      return sendError(response, 400, "invalid_request_error", "This test has a limit of requests.");
    const tools = (body.tools ?? []).map(({ name }) => name);
    const { say, calls } = isStep(tools, body.model)
      ? await steps.ask(text, body.model, () => response.destroyed)
      : besides;
    const { usage, keep } = cache.use(body);
    const step = {
      ...(say === undefined ? {} : { say }),
      ...(calls
        ? {
            calls: calls.map(({ name, input }) => ({
              tool: name,
              input: input as Readonly<Record<string, unknown>>,
            })),
          }
        : {}),
    };
    // The number makes ids of calls differ where a request is repeated.
    const answer = answerOf(step, `${steps.requests} ${text}`, body.model, usage, false);
    keep();
    steps.count(body.model, usageOf(answer));
    if (body.stream) await sendEvents(response, answer, undefined, { pace: () => 0 });
    else sendError(response, 500, "api_error", "This test expects streams.");
  };
  const server = createServer((request, response) => {
    response.on("error", () => response.destroy());
    serve(request, response).catch((error: Error) => {
      steps.refused.push(error.message);
      const status = error instanceof InvalidRequest ? 400 : 500;
      if (!response.headersSent) sendError(response, status, "invalid_request_error", error.message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function startOther(steps: Steps, isStep: IsStep): Promise<Server> {
  const standIn = await startWiresStandIn(async (seen): Promise<WireAnswer> => {
    const given = seen.headers["x-goog-api-key"] ?? seen.headers.authorization;
    const refuse = (status: number, why: string): WireAnswer => {
      steps.refused.push(`${seen.method} ${seen.url}: ${why}`);
      return { refuse: { status, body: JSON.stringify({ error: { message: why } }) } };
    };
    if (given !== providerKey && given !== `Bearer ${providerKey}`) return refuse(401, "invalid API key");
    if (++steps.requests > maxRequests) return refuse(400, "This test has a limit of requests.");
    const id = String(steps.requests);
    if (seen.method === "GET" || seen.url.includes(":countTokens")) return {};
    const body = JSON.parse(seen.text) as Offered & { model?: string };
    const model = body.model ?? /models\/([^:]+):/u.exec(seen.url)?.[1] ?? "";
    const words = isStep(namesOf(body), model)
      ? await steps.ask(seen.text, model, () => seen.isCut)
      : besides;
    if (!seen.isCut) steps.count(model, counted);
    return { ...words, usage: wireUsage, id };
  });
  return { url: standIn.url, close: standIn.close };
}

interface Offered {
  readonly name?: string;
  readonly tools?: readonly Offered[];
  readonly functionDeclarations?: readonly Offered[];
  /** Codex offers tools in a message for its newer models. */
  readonly input?: string | readonly Offered[];
}

const namesOf = ({ name, tools, functionDeclarations, input }: Offered): readonly string[] => [
  ...(name === undefined ? [] : [name]),
  ...[tools, functionDeclarations, input].flatMap((more) =>
    Array.isArray(more) ? more.flatMap(namesOf) : [],
  ),
];
