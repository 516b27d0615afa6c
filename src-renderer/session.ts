/** How this page signs in to a headless host; `#shared/contract/loopback.ts` describes the steps. */
import {
  identityStorageKey,
  proxySession,
  sessionPath,
  sessionStorageKey,
  tokenOf,
} from "#shared/contract/loopback.ts";

/** The host is there and does not let this page in: trying again alone will not help. */
export class NotLetIn extends Error {
  override readonly name = "NotLetIn";
  readonly remedy: string | null;
  constructor(message: string, remedy: string | null) {
    super(message);
    this.remedy = remedy;
  }
}

/** What the address brought along, until it was exchanged or refused. */
let token: string | null = null;

/**
 * Takes the one-time token out of the address, so that it is neither copied nor logged with it. To be called before anything
 * else that the page does.
 */
export function takeTokenFromAddress(): void {
  token = tokenOf(location.hash);
  if (token !== null) history.replaceState(null, "", location.pathname + location.search);
}

interface Answer {
  readonly session?: string;
  readonly message?: string;
  readonly remedy?: string;
}

async function post(
  body: Readonly<Record<string, string | boolean>>,
): Promise<{ readonly ok: boolean; readonly answer: Answer }> {
  const response = await fetch(sessionPath, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const json = response.headers.get("content-type")?.startsWith("application/json");
  return { ok: response.ok, answer: json ? ((await response.json()) as Answer) : {} };
}

/** Another person's host is encrypted: their identity there outlives the page, which a session of this machine does not. */
const isOfPeople = (): boolean => location.protocol === "https:";
const store = (): Storage => (isOfPeople() ? localStorage : sessionStorage);
const storeKey = (): string => (isOfPeople() ? identityStorageKey : sessionStorageKey);

/**
 * A session that opens the socket.
 * @throws NotLetIn when neither the token nor the stored session is taken; TypeError when nothing answers.
 */
export async function openSession(): Promise<string> {
  let refused: Answer = {};
  if (token !== null) {
    const { ok, answer } = await post({ token });
    token = null;
    if (ok && answer.session) {
      // A proxy says it with every request: nothing is kept.
      if (answer.session !== proxySession) store().setItem(storeKey(), answer.session);
      return answer.session;
    }
    refused = answer;
  }
  const stored = store().getItem(storeKey());
  if (stored !== null) {
    const { ok, answer } = await post({ session: stored });
    if (ok) return answer.session ?? stored;
    refused = answer;
  } else if (isOfPeople() && refused.message === undefined) {
    const { ok, answer } = await post({ proxy: true });
    if (ok && answer.session) return answer.session;
    refused = answer;
  }
  throw new NotLetIn(
    refused.message ?? "This page is not authorized to connect to Hox.",
    refused.remedy ?? "Run `hox address` on the machine where Hox runs, and open the address that it prints.",
  );
}
