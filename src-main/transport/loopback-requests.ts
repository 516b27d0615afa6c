import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { addressPath, sessionPath } from "#shared/contract/loopback.ts";
import { answerJson, bodyOf, RequestRefusal } from "./http-answers.ts";
import type { LoopbackGuard } from "./loopback-guard.ts";
import { type Sessions, sameSecret, tokenMinutes } from "./sessions.ts";
import { contentSecurityPolicy, fileFor, sendFile } from "./static-files.ts";

export interface LoopbackRequestParts {
  readonly guard: LoopbackGuard;
  readonly sessions: Sessions;
  /** Whoever shows it gets another address. */
  readonly secret: string;
  /** The built renderer. */
  readonly files: string;
  /** A new address that lets one browser in. */
  address(): string;
  /** A token was exchanged for a session. */
  onEntered(): void;
}

const exchange = z.union([
  z.strictObject({ token: z.string().max(200) }),
  z.strictObject({ session: z.string().max(200) }),
]);

/** Answers what is no socket: the renderer's files, a session for a token, another address. Rejects with a refusal. */
export const createRequestAnswerer =
  (parts: LoopbackRequestParts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = parts.guard.checkHost(request);
    setSecurityHeaders(response, name);
    // The raw path: a URL parser would resolve the dots that must be refused.
    const path = (request.url ?? "/").split(/[?#]/u, 1)[0] ?? "";
    if (request.method === "POST")
      return path === addressPath
        ? sendAddress(parts, request, response)
        : exchangeSession(parts, request, response, path, name);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new RequestRefusal(405, "Only GET and POST are supported.");
    if (request.headers.origin !== undefined) parts.guard.checkOrigin(request, name);
    const file = await fileFor(parts.files, path);
    if (file === null) throw new RequestRefusal(404, "File not found.");
    sendFile(file, path, response, request.method === "GET");
  };

function setSecurityHeaders(response: ServerResponse, name: string): void {
  response.setHeader("content-security-policy", contentSecurityPolicy(`ws://${name}`));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-resource-policy", "same-origin");
}

/** A terminal of the same user has read the secret; a page cannot send this without an Origin. */
function sendAddress(
  { secret, address }: LoopbackRequestParts,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (headers.origin !== undefined) throw new RequestRefusal(403, "Web pages can't request an address.");
  if (!sameSecret(headers.authorization ?? "", `Bearer ${secret}`))
    throw new RequestRefusal(401, "Wrong secret for this host.");
  answerJson(response, 200, { address: address() });
}

async function exchangeSession(
  { guard, sessions, onEntered }: LoopbackRequestParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  name: string,
): Promise<void> {
  guard.checkOrigin(request, name);
  // Forms and text/plain are what another site may send without asking first.
  if (request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new RequestRefusal(415, "Only JSON is accepted.");
  }
  if (path !== sessionPath) throw new RequestRefusal(404, "Nothing to post to at this path.");
  const asked = exchange.safeParse(await bodyOf(request));
  if (!asked.success) throw new RequestRefusal(400, "Send a token or a session.");
  const session = "token" in asked.data ? sessions.exchange(asked.data.token) : asked.data.session;
  if (session === null || !sessions.knows(session)) {
    answerJson(response, 403, {
      message: `This address was already used, is older than ${tokenMinutes} minutes, or Hox was restarted.`,
      remedy: "Run `hox address` on the machine where Hox runs, and open the address that it prints.",
    });
    return;
  }
  answerJson(response, 200, { session });
  if ("token" in asked.data) onEntered();
}
