/**
 * Requests to a forge: what GitHub and GitLab have in common. Answers that did not change are kept with their ETag, which
 * costs no quota; nothing is sent while a rate limit lasts, to another host, or for longer than a time-out.
 */
import { type ForgeKind, forgeNames } from "#shared/domain/forge/forge-facts.ts";
import { formatBytes } from "#shared/domain/text/format-text.ts";
import { ForgeError, noPermission, type Permission, tokenRemedy, wordsOf } from "./forge-error.ts";

/** In ms; `now` is since 1970. */
export interface ForgeClock {
  now(): number;
  /** Does something once after this time, unless it is cancelled before. */
  after(ms: number, work: () => void): () => void;
}

export const systemForgeClock: ForgeClock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface ForgeHttpOptions {
  readonly forge: ForgeKind;
  /** Of the API, without a slash at its end. */
  readonly baseUrl: string;
  /** Null: what is public is read without one. */
  readonly token: string | null;
  /** Another token than one that was refused; null: there is none. Default: there is none. */
  readonly renewToken?: (refused: string | null) => Promise<string | null>;
  readonly clock: ForgeClock;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** As `fetch`, for one request. */
export type ForgeFetch = (
  url: string,
  init: RequestInit,
  needs: {
    readonly permission: Permission;
    /** Statuses of errors that are answers to this request. */
    readonly accepts?: readonly number[];
    /** A log, which may be long and on another server: only its end is kept, and the token does not go there. */
    readonly isLog?: boolean;
  },
) => Promise<Response>;

interface Kept {
  readonly etag: string;
  readonly headers: Headers;
  readonly body: string;
}

const maxKept = 300;
const logLimits = { kept: 200_000, read: 50_000_000 } as const;
const maxRedirects = 3;
/** A user may give a token more permissions at any time. */
const refusalMs = 10 * 60_000;
const redirects = new Set([301, 302, 307, 308]);

export function createForgeFetch(options: ForgeHttpOptions): ForgeFetch {
  const { forge, baseUrl, clock, timeoutMs = 30_000, maxBytes = 8_000_000 } = options;
  const name = forgeNames[forge];
  const origin = new URL(baseUrl).origin;
  const kept = new Map<string, Kept>();
  /** By permission, reading apart from writing. */
  const refused = new Map<string, { readonly error: ForgeError; readonly until: number }>();
  let notBefore: { readonly at: number; readonly error: ForgeError } | null = null;
  let { token } = options;

  /** One that expired was often replaced since Hox started. @returns whether there is another one now */
  const renew = async (sent: string | null): Promise<boolean> => {
    if (token !== sent) return true;
    const next = (await options.renewToken?.(sent)) ?? null;
    if (next === null || next === sent) return false;
    token = next;
    refused.clear();
    return true;
  };

  const headersOf = (init: RequestInit, known: Kept | undefined): Headers => {
    const headers = new Headers(init.headers);
    headers.set("user-agent", "hox");
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    if (known) headers.set("if-none-match", known.etag);
    return headers;
  };

  /** Follows a repository to its new address, but no further than this host: the token is for it alone. */
  const send = async (
    url: string,
    init: RequestInit,
    isLog: boolean,
    left = maxRedirects,
  ): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: "manual" });
    const to = redirects.has(response.status) ? response.headers.get("location") : null;
    if (to === null || left === 0) return response;
    await response.body?.cancel();
    const next = new URL(to, url);
    if (next.origin === origin) return send(next.href, init, isLog, left - 1);
    if (isLog && isAsSafe(next, origin))
      return fetch(next, { signal: init.signal ?? null, redirect: "error" });
    throw new ForgeError(
      "refused",
      `${name} sent Hox to another server (${wordsOf(next.host)}), where your token may not go.`,
      "Check the address of the repository's remote, and any proxy.",
    );
  };

  const request = async (url: string, init: RequestInit, isLog: boolean): Promise<Answer> => {
    const isRead = !isLog && (init.method ?? "GET") === "GET";
    const known = isRead ? kept.get(url) : undefined;
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort());
    try {
      const signals = [timeout.signal, ...(init.signal ? [init.signal] : [])];
      const sent = { ...init, headers: headersOf(init, known), signal: AbortSignal.any(signals) };
      const response = await send(url, sent, isLog);
      if (response.status === 304 && known) {
        await response.body?.cancel();
        return { status: 200, headers: known.headers, body: known.body, limits: response.headers };
      }
      const body = isLog ? await readEnd(response, name) : await readWithin(response, maxBytes, name);
      const { headers, status } = response;
      const etag = headers.get("etag");
      if (isRead && status === 200 && etag !== null) keep(url, { etag, headers, body });
      return { status, headers, body, limits: headers };
    } catch (error) {
      if (error instanceof ForgeError) throw error;
      if (timeout.signal.aborted)
        throw new ForgeError(
          "slow",
          `${name} did not answer within ${Math.round(timeoutMs / 1000)} seconds.`,
          "Hox asks again later. If it stays slow, check the network and the forge's status page.",
        );
      throw unreachable(name, origin, error);
    } finally {
      cancel();
    }
  };

  const keep = (url: string, answer: Kept): void => {
    kept.delete(url);
    kept.set(url, answer);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  };

  return async (url, init, { permission, accepts = [], isLog = false }) => {
    if (new URL(url).origin !== origin)
      throw new Error(`A request for ${name} has the address of another host.`);
    const need = `${permission} ${init.method ?? "GET"}`;
    const before = refused.get(need);
    if (before && clock.now() < before.until) throw before.error;
    if (notBefore !== null && clock.now() < notBefore.at) throw notBefore.error;
    notBefore = null;
    const sent = token;
    let answer = await request(url, init, isLog);
    // Nothing was done.
    if (answer.status === 401 && (await renew(sent))) answer = await request(url, init, isLog);
    const error = accepts.includes(answer.status)
      ? null
      : errorOf(answer, { forge, permission, hasToken: token !== null, now: clock.now() });
    if (error === null) {
      const response = new Response(answer.status === 204 ? null : answer.body, answer);
      // Octokit counts pages by it.
      return Object.defineProperty(response, "url", { value: url });
    }
    if (error.kind === "rate-limit" && error.retryAt !== null) notBefore = { at: error.retryAt, error };
    if (error.kind === "permission") refused.set(need, { error, until: clock.now() + refusalMs });
    throw error;
  };
}

/** Whether it is as hard to listen to on the way there as on the way to the forge. */
const isAsSafe = ({ protocol, hostname }: URL, origin: string): boolean =>
  protocol === "https:" ||
  (origin.startsWith("http:") && (hostname === "localhost" || hostname === "127.0.0.1"));

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Headers of the answer itself, where a kept one is used. */
  readonly limits: Headers;
}

async function readWithin(response: Response, maxBytes: number, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(name, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The end of what may be long. */
async function readEnd(response: Response, name: string): Promise<string> {
  let end = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > logLimits.read) throw tooLarge(name, logLimits.read);
    end = Buffer.concat([end, chunk]).subarray(-logLimits.kept);
  }
  return end.toString("utf8");
}

const tooLarge = (name: string, most: number): ForgeError =>
  new ForgeError(
    "too-large",
    `${name} sent more than ${formatBytes(most)} for one request.`,
    "Open it on the website; Hox reads no answer of this size.",
  );

function unreachable(name: string, origin: string, error: unknown): ForgeError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = code || (cause instanceof Error ? cause.name : "unknown");
  return new ForgeError(
    "unavailable",
    `${name} can't be reached at ${origin} (${wordsOf(why)}).`,
    "Check the network and any proxy. Hox asks again later.",
  );
}

interface Asked {
  readonly forge: ForgeKind;
  readonly permission: Permission;
  readonly hasToken: boolean;
  readonly now: number;
}

/** What an answer says went wrong; null: nothing. */
function errorOf(answer: Answer, asked: Asked): ForgeError | null {
  const { status, limits, body } = answer;
  if (status < 400) return null;
  const name = forgeNames[asked.forge];
  const said = messageIn(body);
  const retryAt = limitOf(answer, said, asked.now);
  if (retryAt !== null)
    return new ForgeError(
      "rate-limit",
      `The rate limit of ${name} is reached${said === "" ? "" : ` (${wordsOf(said)})`}.`,
      `Hox continues at ${new Date(retryAt).toISOString().slice(11, 16)} UTC.${asked.hasToken ? "" : ` A token raises the limit. ${tokenRemedy(asked.forge)}`}`,
      { retryAt },
    );
  if (status === 401)
    return asked.hasToken
      ? new ForgeError(
          "token-rejected",
          `${name} rejected the token: it is wrong, expired or revoked.`,
          tokenRemedy(asked.forge),
        )
      : new ForgeError("no-token", `${name} asks for a token for this.`, tokenRemedy(asked.forge));
  if (status === 403)
    return asked.hasToken
      ? noPermission(asked.forge, asked.permission, neededScope(limits, body) || said)
      : new ForgeError("no-token", `${name} asks for a token for this.`, tokenRemedy(asked.forge));
  if (status === 404)
    return new ForgeError(
      "not-found",
      `${name} has no such thing, or the ${asked.hasToken ? "token may not" : "public may not"} see it.`,
      asked.hasToken
        ? "Check the address: it may have been renamed, moved or deleted. Otherwise give the token access to this repository."
        : `Check the address. For a private repository, Hox needs a token. ${tokenRemedy(asked.forge)}`,
    );
  if (status >= 500)
    return new ForgeError(
      "unavailable",
      `${name} answers with an internal error (${status}).`,
      "Hox asks again later. See also the forge's status page.",
    );
  return new ForgeError(
    "refused",
    `${name} refused it${said === "" ? ` (${status})` : `: ${wordsOf(said)}`}.`,
    "Change what the message says, then retry.",
  );
}

/** When the rate limit ends; null: it is none. GitHub has two, and says so in three ways. */
function limitOf({ status, limits }: Answer, said: string, now: number): number | null {
  if (status !== 429 && status !== 403) return null;
  const wait = seconds(limits.get("retry-after"));
  const isUsedUp = (limits.get("x-ratelimit-remaining") ?? limits.get("ratelimit-remaining")) === "0";
  const isSecondary = /secondary rate limit|abuse detection/iu.test(said);
  if (status === 403 && !isUsedUp && !isSecondary && wait === null) return null;
  const reset = seconds(limits.get("x-ratelimit-reset") ?? limits.get("ratelimit-reset"));
  const until = wait !== null ? now + wait * 1000 : isUsedUp && reset !== null ? reset * 1000 : now + 60_000;
  // Both count by the hour; a wrong header or clock must not stop it for longer.
  return Math.min(Math.max(now, until), now + 3_600_000);
}

/** Null for what is no number. */
function seconds(header: string | null): number | null {
  return header !== null && /^\d{1,12}$/u.test(header) ? Number(header) : null;
}

/** What GitHub says in headers and GitLab in the body. */
function neededScope(headers: Headers, body: string): string {
  const accepted =
    headers.get("x-accepted-github-permissions") ?? headers.get("x-accepted-oauth-scopes") ?? "";
  const scope = field(body, "scope");
  const needed = accepted || scope;
  return needed === "" ? "" : `it needs ${needed}`;
}

/** The forge's own words. */
function messageIn(body: string): string {
  const more = arrayField(body, "errors");
  const words = field(body, "message") || field(body, "error_description") || field(body, "error");
  return [words, ...more].filter(Boolean).join(": ");
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A page of a proxy or a load balancer says nothing that could be repeated.
    return {};
  }
}

function field(body: string, name: string): string {
  const value = parsed(body)[name];
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").join("; ");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : "";
}

function arrayField(body: string, name: string): readonly string[] {
  const value = parsed(body)[name];
  return Array.isArray(value)
    ? value
        .map((one) => (typeof one === "string" ? one : field(JSON.stringify(one), "message")))
        .filter(Boolean)
    : [];
}
