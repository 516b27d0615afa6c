/** The user's own webhook: told when a run waits for them, is done, or has stopped. No repository can set it. */
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/app.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { type ForgeClock, systemForgeClock } from "../forge/forge-http.ts";
import { log } from "../log/log.ts";

/** What is sent, as JSON: words of Hox alone, no goal, question, file or key. */
export interface WebhookMessage {
  readonly event: "waits" | "done" | "stopped";
  /** In a sentence; chat services show this field. */
  readonly text: string;
  /** Name of the repository's folder. */
  readonly repository: string;
  readonly run: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
}

type Told = Omit<WebhookMessage, "at">;

const ends: Partial<Readonly<Record<RunStatus["stage"], readonly [Told["event"], string]>>> = {
  complete: ["done", "is done"],
  failed: ["stopped", "failed"],
  stopped: ["stopped", "has stopped"],
};

/**
 * What happened between two states of the open repositories. What was there when a repository was opened is no news, and what
 * another Hox works on is told by that one.
 */
export function messagesBetween(
  before: readonly OpenRepositoryView[],
  now: readonly OpenRepositoryView[],
): readonly Told[] {
  return now.flatMap(({ path, name, lockedBy, runs, waiting }) => {
    const earlier = before.find((one) => one.path === path);
    if (earlier === undefined || lockedBy !== undefined) return [];
    const repository = shownName(name);
    const cards = waiting
      .filter(({ id }) => !earlier.waiting.some((card) => card.id === id))
      .map(({ run, title }): Told => {
        const text = `A run in ${repository} waits for you: ${shownLine(title)}.`;
        return { event: "waits", text, repository, run };
      });
    const ended = runs.flatMap(({ id, stage }): readonly Told[] => {
      const known = earlier.runs.find((one) => one.id === id);
      const end = ends[stage];
      if (known === undefined || known.stage === stage || end === undefined) return [];
      const [event, words] = end;
      return [{ event, text: `A run in ${repository} ${words}.`, repository, run: id }];
    });
    return [...cards, ...ended];
  });
}

interface WebhookOptions {
  /** As it is set now; empty: there is none. */
  readonly address: () => string;
  /** It did not take a message; each cause is reported once until it takes one. */
  readonly onFailure: (error: RemediedError) => void;
  readonly clock?: ForgeClock;
}

/** ms before each further attempt, and for one attempt. */
const waits = [2_000, 10_000, 60_000] as const;
const timeoutMs = 10_000;
/** Closing waits for what is being sent, and no longer. */
const closingMs = 3_000;
/** While it does not answer; older ones are no news by then. */
const maxQueued = 20;

/** Sends one message after the other. */
export function createWebhook({ address, onFailure, clock = systemForgeClock }: WebhookOptions) {
  let before: readonly OpenRepositoryView[] = [];
  let queue: WebhookMessage[] = [];
  let sending: Promise<void> | null = null;
  let reported: string | null = null;
  const closed = new AbortController();

  const deliver = async (message: WebhookMessage): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      const url = address();
      if (url === "") return;
      const failure = await post(url, message, clock);
      if (failure === null) {
        reported = null;
        return;
      }
      const wait = waits[attempt];
      if (failure.isFinal || wait === undefined || closed.signal.aborted) return report(url, failure.why);
      if (!(await passed(clock, wait, closed.signal))) return;
    }
  };
  const report = (url: string, why: string): void => {
    const key = `${url} ${why}`;
    if (reported === key) return;
    reported = key;
    onFailure(
      new RemediedError(
        `Your webhook at ${shownName(new URL(url).host)} did not take a message: ${why}.`,
        "Check its address in Settings, under Notifications. This is shown once.",
      ),
    );
  };
  const sendAll = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await deliver(next);
    sending = null;
  };

  return {
    /** The open repositories as they are now. */
    observe(now: readonly OpenRepositoryView[]): void {
      const at = new Date(clock.now()).toISOString();
      const messages = messagesBetween(before, now).map((told) => ({ ...told, at }));
      before = now;
      if (messages.length === 0 || address() === "" || closed.signal.aborted) return;
      queue = [...queue, ...messages].slice(-maxQueued);
      sending ??= sendAll();
    },
    /** What has not been sent by then is left out. */
    async close(): Promise<void> {
      closed.abort();
      if (sending) await Promise.race([sending, passed(clock, closingMs)]);
    },
  };
}

interface PostFailure {
  readonly why: string;
  /** Trying again helps nobody. */
  readonly isFinal: boolean;
}

/** @returns null: it was taken */
async function post(url: string, message: WebhookMessage, clock: ForgeClock): Promise<PostFailure | null> {
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "hox" },
      body: JSON.stringify(message),
      // The address is the user's choice, and the one that it would be sent on to is not.
      redirect: "manual",
      signal: timeout.signal,
    });
    await response.body?.cancel();
    const { status, ok } = response;
    log.info("webhook", { event: message.event, status });
    if (ok) return null;
    if (status >= 300 && status < 400)
      return { why: "it redirects, which Hox does not follow", isFinal: true };
    return { why: `it answers with HTTP status ${status}`, isFinal: status < 500 && status !== 429 };
  } catch (error) {
    if (timeout.signal.aborted)
      return { why: `it did not answer within ${timeoutMs / 1_000} seconds`, isFinal: false };
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    return { why: `it can't be reached${code}`, isFinal: false };
  } finally {
    cancel();
  }
}

/** @returns false: it was aborted before */
function passed(clock: ForgeClock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const abort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve(true);
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
