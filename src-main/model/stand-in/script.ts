import type { Usage } from "#shared/domain/spending/usage.ts";
import type { StopReason } from "../driver-interface.ts";

/**
 * The answers of a scripted model. A script is data plus small pure functions of the request, so the same request gets
 * the same answer after the app was closed and opened again: nothing depends on how often the stand-in was asked.
 *
 *   role      the last line `Hox-Role: <name>` of the system prompt chooses the route
 *   scene     the first scene of that route whose `prompt` matches the latest user text
 *   step      the scene's steps in order, one per answer since that text
 */
export interface Script {
  readonly name: string;
  /** By role: `O-A-1`, `agent-1`, `integrator`, `validator-1`. A name may end with `*`; the exact name wins. */
  readonly routes: Readonly<Record<string, readonly Scene[]>>;
}

export interface Scene {
  /** For messages about unused or missing steps; unique in its route. */
  readonly name: string;
  /** Matches the latest user text (a task, an event, an answer), not tool results. Left out: matches always. */
  readonly prompt?: Matcher;
  readonly steps: readonly ScriptedStep[];
  /** A scene that a run may go without, so that `unusedSteps()` does not name it. */
  readonly optional?: boolean;
}

/** Text must contain the string, match the expression, or the function says so. */
export type Matcher = string | RegExp | ((seen: Seen) => boolean);

/** A step, or a pure function that reads the request (a tool's result, a hash, a file's text) to make one. */
export type ScriptedStep = Step | ((seen: Seen) => Step);

export interface Step {
  readonly thinking?: string;
  readonly say?: string;
  /** Several calls in one step are one turn with parallel tool use. */
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  readonly stop?: StopReason;
  /** Milliseconds before it begins, instead of the default. */
  readonly waitMs?: number;
  /** What it cost. Default: counted from the request and the words. */
  readonly usage?: Usage;
}

interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A request as a script sees it. Everything comes from the request itself. */
export interface Seen {
  readonly role: string;
  readonly model: string;
  readonly system: string;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  /** The first user text of the conversation. */
  readonly opening: string;
  /** The latest user text; all text blocks of that message joined by a newline. */
  readonly prompt: string;
  /** Notes that came with that text or after it, in the middle of a turn. */
  readonly notes: readonly string[];
  /** Answers since the latest user text: the index of the step. */
  readonly turn: number;
  /** Answers in the whole conversation. */
  readonly turns: number;
  /** Results in the last message, in call order; empty when it holds none. */
  readonly results: readonly SeenResult[];
  /** All results of the conversation, in order. */
  readonly history: readonly SeenResult[];
}

export interface SeenResult {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly isError: boolean;
}

/**
 * Something that goes wrong on purpose, at the next request it fits, `times` times (default 1).
 *   rate-limit   429 with `retry-after`             overloaded  529
 *   server       500                                error-event a mid-stream `error` event
 *   cut          the socket ends mid-stream         stall       the stream stays open and silent
 *   truncate     stops with max_tokens inside the first tool call (or text)
 *   refusal      stops with `refusal`               unauthorized 401
 *   refused      whatever `answer` says, in place of an answer
 *   malformed    200 with a stream whose events are no JSON
 *   page         200 with a page, as a network that wants a login gives it
 */
export interface Fault {
  readonly kind:
    | "rate-limit"
    | "overloaded"
    | "server"
    | "unauthorized"
    | "error-event"
    | "cut"
    | "stall"
    | "truncate"
    | "refusal"
    | "refused"
    | "malformed"
    | "page";
  /** Of `refused`. A body that is a string is sent as a page. */
  readonly answer?: { readonly status: number; readonly body: unknown };
  /** Default: any role. */
  readonly role?: string;
  /** Answers in the whole conversation when it strikes; default: any. */
  readonly turns?: number;
  readonly times?: number;
  /** `retry-after` in seconds, for rate-limit and overloaded. */
  readonly retryAfter?: number;
  /** Characters of the answer sent before error-event, cut and stall. Default 10. */
  readonly after?: number;
}

/** Helps TypeScript and the reader: `export const script = defineScript({...})`. */
export const defineScript = (script: Script): Script => script;
