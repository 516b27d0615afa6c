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
 *
 * Other people come to another server (`transport/serve-people.ts`, always https): there the token is an invitation,
 * and the session is an identity, which the page keeps in `localStorage` until its person is removed. A page without
 * either sends `{"proxy": true}`, and is let in where a trusted proxy says who it is.
 */
export const sessionPath = "/session";
export const addressPath = "/address";
/** What a page has for a session where a proxy says who it is. */
export const proxySession = "proxy";
export const socketPath = "/rpc";
export const sessionStorageKey = "hox-session";
/** Of an identity, which outlives the page. */
export const identityStorageKey = "hox-identity";
export const socketProtocol = "hox";

/** The token in a location's fragment (`#token=…`), or null. */
export const tokenOf = (fragment: string): string | null =>
  /^#(?:.*&)?token=([\w-]+)(?:&|$)/u.exec(fragment)?.[1] ?? null;

/** Second argument of `new WebSocket(url, …)`: a browser can set no other header. The host answers `hox`. */
export const socketProtocols = (session: string): [string, string] => [socketProtocol, `session.${session}`];

/**
 * How a terminal reaches the host that works on a repository: to watch and control the run and answer its
 * cards, by the commands that allow it. No settings, keys, folders or graph: those need a host in the same
 * process.
 *
 * The host listens on 127.0.0.1 and writes port and secret into `steering.json` in the repository's state
 * folder, which only its user can read; agents see neither the folder nor the network. Every request has the
 * secret as a bearer token. A request from a page (with an `Origin`) or for another host name is always
 * refused.
 */
export const endpointFile = "steering.json";
export const endpointPath = "/steer";

/** The content of `endpointFile`. */
export interface EndpointFile {
  /** The listening process, for the message if it does not answer. */
  readonly pid: number;
  readonly port: number;
  readonly secret: string;
  /** The root of the repository whose runs it steers, for the field `repository` of each command. */
  readonly repository: string;
}
