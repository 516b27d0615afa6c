/**
 * How a browser authenticates at the headless host. One secret per step, so that none is ever in a logged URL:
 *
 * 1. The host prints (or opens) `http://127.0.0.1:<port>/#token=<token>`. A fragment is never sent to a server.
 * 2. The page removes the token from the address bar and exchanges it: `POST /session`, JSON `{"token": "…"}`,
 *    answer 200 `{"session": "…"}` or 403 `{"message", "remedy"}`. A token works once, and for some minutes.
 * 3. The page keeps the session in `sessionStorage` (which, unlike a cookie, other ports of this machine never
 *    see), and opens `ws://<host>/rpc` with `socketProtocols(session)`. The oRPC link runs over that socket.
 * 4. After a reload or a lost socket the stored session opens it again. `POST /session` with `{"session": "…"}`
 *    tells an expired session (403: show how to get a new address) from a host that has ended (no answer).
 *
 * A new address: `POST /address` with the secret of the host's note (`serving-note.ts`) as a bearer token, which
 * only the host's own user can read. `hox address` does that. A request from a page (with an `Origin`) is refused.
 */
export const sessionPath = "/session";
export const addressPath = "/address";
export const socketPath = "/rpc";
export const sessionStorageKey = "hox-session";
export const socketProtocol = "hox";

/** The token in a location's fragment (`#token=…`), or null. */
export const tokenOf = (fragment: string): string | null =>
  /^#(?:.*&)?token=([\w-]+)(?:&|$)/u.exec(fragment)?.[1] ?? null;

/** Second argument of `new WebSocket(url, …)`: a browser can set no other header. The host answers `hox`. */
export const socketProtocols = (session: string): [string, string] => [socketProtocol, `session.${session}`];
