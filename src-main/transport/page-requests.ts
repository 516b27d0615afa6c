import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { addressPath, sessionPath } from "#shared/contract/loopback.ts";
import type { Entrance } from "./entrance.ts";
import { answerJson, bodyOf, RequestRefusal } from "./request-refusal.ts";
import { sameSecret } from "./sessions.ts";
import { contentSecurityPolicy, fileFor, sendFile } from "./static-files.ts";

interface PageRequestParts {
  readonly entrance: Entrance;
  /** Whoever shows the secret gets another address that lets one browser in. Left out: nobody does. */
  readonly addresses?: { readonly secret: string; address(): string };
  /** The built renderer. */
  readonly files: string;
  /** A token was exchanged for a session. */
  onEntered(): void;
}

const exchange = z.union([
  z.strictObject({ token: z.string().max(200) }),
  z.strictObject({ session: z.string().max(200) }),
  z.strictObject({ proxy: z.literal(true) }),
]);

/** Answers what is no socket: the renderer's files, a session for a token, another address. Rejects with a refusal. */
export const createRequestAnswerer =
  (parts: PageRequestParts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = parts.entrance.checkHost(request);
    setSecurityHeaders(response, `${parts.entrance.isSecure ? "wss" : "ws"}://${name}`);
    // The raw path: a URL parser would resolve the dots that must be refused.
    const path = (request.url ?? "/").split(/[?#]/u, 1)[0] ?? "";
    if (request.method === "POST")
      return path === addressPath
        ? sendAddress(parts, request, response)
        : exchangeSession(parts, request, response, path, name);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new RequestRefusal(405, "Only GET and POST are supported.");
    if (request.headers.origin !== undefined) parts.entrance.checkOrigin(request, name);
    const file = await fileFor(parts.files, path);
    if (file === null) throw new RequestRefusal(404, "File not found.");
    sendFile(file, path, response, request.method === "GET");
  };

function setSecurityHeaders(response: ServerResponse, socket: string): void {
  response.setHeader("content-security-policy", contentSecurityPolicy(socket));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-resource-policy", "same-origin");
}

/** A terminal of the same user has read the secret; a page cannot send this without an Origin. */
function sendAddress(
  { addresses }: PageRequestParts,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (headers.origin !== undefined) throw new RequestRefusal(403, "Web pages can't request an address.");
  if (!addresses || !sameSecret(headers.authorization ?? "", `Bearer ${addresses.secret}`))
    throw new RequestRefusal(401, "Wrong secret for this host.");
  answerJson(response, 200, { address: addresses.address() });
}

async function exchangeSession(
  { entrance, onEntered }: PageRequestParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  name: string,
): Promise<void> {
  entrance.checkOrigin(request, name);
  // Forms and text/plain are what another site may send without asking first.
  if (request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new RequestRefusal(415, "Only JSON is accepted.");
  }
  if (path !== sessionPath) throw new RequestRefusal(404, "Nothing to post to at this path.");
  const asked = exchange.safeParse(await bodyOf(request));
  if (!asked.success) throw new RequestRefusal(400, "Send a token or a session.");
  const answer = entrance.exchange(asked.data, request);
  if (!("session" in answer)) {
    answerJson(response, 403, answer);
    return;
  }
  answerJson(response, 200, answer);
  if ("token" in asked.data) onEntered();
}
