import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Equal lengths and constant time: the delay reveals nothing about a secret. */
const holds = (known: readonly Buffer[], secret: string): boolean => {
  const wanted = digest(secret);
  return known.reduce((found, one) => timingSafeEqual(one, wanted) || found, false);
};

/** Whether two secrets are the same, in constant time. */
export const sameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));

const maxSessions = 64;

/** A saved terminal log must not grant access for ever. */
export const tokenMinutes = 10;

interface Token {
  readonly digest: Buffer;
  readonly expiresAt: number;
  readonly isOwnMachine: boolean;
}

/** One-time tokens and the sessions they were exchanged for. Only hashes are kept. */
export class Sessions {
  #tokens: Token[] = [];
  #sessions: Buffer[] = [];
  /** Those of windows that the host opened itself. */
  #own: Buffer[] = [];
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new token, good for one exchange within `tokenMinutes`. @param isOwnMachine for a window that the host opens itself */
  issueToken(isOwnMachine = false): string {
    const token = randomBytes(32).toString("base64url");
    const expiresAt = this.#now() + tokenMinutes * 60_000;
    const issued = { digest: digest(token), expiresAt, isOwnMachine };
    this.#tokens = [...this.#tokens, issued].slice(-maxSessions);
    return token;
  }

  /** The session for a token, or null when the token is wrong, used or too old. */
  exchange(token: string): string | null {
    const now = this.#now();
    this.#tokens = this.#tokens.filter(({ expiresAt }) => now < expiresAt);
    const valid = this.#tokens.map((one) => one.digest);
    if (!holds(valid, token)) return null;
    const used = digest(token);
    const isOwn = this.#tokens.some((one) => one.isOwnMachine && one.digest.equals(used));
    this.#tokens = this.#tokens.filter((one) => !one.digest.equals(used));
    const session = randomBytes(32).toString("base64url");
    this.#sessions = [...this.#sessions, digest(session)].slice(-maxSessions);
    if (isOwn) this.#own = [...this.#own, digest(session)].slice(-maxSessions);
    return session;
  }

  /** Whether the session is of a window that the host opened on its own machine. */
  isOwnMachine(session: string): boolean {
    return holds(this.#own, session);
  }

  knows(session: string): boolean {
    return holds(this.#sessions, session);
  }
}
