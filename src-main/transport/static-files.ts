import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

/** What a window of Hox may load: its own files and nothing else; `socket` is where it may connect. */
export const contentSecurityPolicy = (socket: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ${socket}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/**
 * The file for a request path, or null. Encoded slashes, backslashes, dot segments and links that lead out of the
 * folder name no file.
 */
export async function fileFor(folder: string, path: string): Promise<string | null> {
  let name: string;
  try {
    name = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (/%2f|%5c/iu.test(path) || /[\\\0:]/u.test(name) || !name.startsWith("/")) return null;
  const parts = name.split("/").slice(1);
  if (parts.some((part) => part.startsWith("."))) return null;
  if (parts.some((part, index) => part === "" && index < parts.length - 1)) return null;
  const wanted = join(folder, ...(parts.at(-1) === "" ? [...parts.slice(0, -1), "index.html"] : parts));
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(wanted)]);
    if (!file.startsWith(root + sep)) return null;
    return (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}

export const contentTypeOf = (file: string): string => types[extname(file)] ?? "application/octet-stream";

export function sendFile(file: string, path: string, response: ServerResponse, body: boolean): void {
  response.setHeader("content-type", contentTypeOf(file));
  // Names under assets/ carry a hash of their content; the page itself must always be the current one.
  response.setHeader(
    "cache-control",
    path.startsWith("/assets/") ? "private, max-age=31536000, immutable" : "no-store",
  );
  response.writeHead(200);
  if (!body) {
    response.end();
    return;
  }
  const stream = createReadStream(file);
  stream.on("error", () => response.destroy());
  // A client that leaves in the middle would leave the file open for ever.
  response.on("close", () => stream.destroy());
  stream.pipe(response);
}
