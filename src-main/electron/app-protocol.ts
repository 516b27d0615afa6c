import { readFile } from "node:fs/promises";
import { protocol } from "electron";
import { contentSecurityPolicy, contentTypeOf, fileFor } from "../transport/static-files.ts";
import { isAppAddress, scheme } from "./app-origin.ts";

/** Before the app is ready: a page of this scheme has an origin and may fetch its own files. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ]);
}

const headers = {
  "content-security-policy": contentSecurityPolicy(""),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Answers `app://hox/…` with a file of `folder`, and everything else with nothing. */
export async function answer(folder: string, request: Request): Promise<Response> {
  if (!isAppAddress(request.url)) return new Response("Unknown host.", { status: 404, headers });
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response("Only GET and HEAD are allowed.", { status: 405, headers });
  }
  // The path as it was sent: a URL object would have undone `..` before it could be refused.
  const path = /^[a-z]+:\/\/[^/]*([^?#]*)/i.exec(request.url)?.[1] || "/";
  const file = await fileFor(folder, path);
  if (file === null) return new Response("File not found.", { status: 404, headers });
  return new Response(request.method === "HEAD" ? null : await readFile(file), {
    headers: { ...headers, "content-type": contentTypeOf(file) },
  });
}

export function serveApp(folder: string): void {
  protocol.handle(scheme, (request) => answer(folder, request));
}
