import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Equal lengths and constant time: an answer's delay tells nothing about a secret. */
const holds = (known: readonly Buffer[], secret: string): boolean => {
  const wanted = digest(secret);
  return known.reduce((found, one) => timingSafeEqual(one, wanted) || found, false);
};

/** Whether two secrets are the same, in constant time. */
export const sameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));

const mostSessions = 64;

/** One-time tokens and the sessions they were exchanged for. Only hashes are kept. */
export class Sessions {
  #tokens: Buffer[] = [];
  #sessions: Buffer[] = [];

  /** A new token, good for one exchange. */
  issueToken(): string {
    const token = randomBytes(32).toString("base64url");
    this.#tokens = [...this.#tokens, digest(token)].slice(-mostSessions);
    return token;
  }

  /** The session for a token, or null when the token is wrong or used. */
  exchange(token: string): string | null {
    if (!holds(this.#tokens, token)) return null;
    const used = digest(token);
    this.#tokens = this.#tokens.filter((one) => !one.equals(used));
    const session = randomBytes(32).toString("base64url");
    this.#sessions = [...this.#sessions, digest(session)].slice(-mostSessions);
    return session;
  }

  knows(session: string): boolean {
    return holds(this.#sessions, session);
  }
}
