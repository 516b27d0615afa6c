/** Work of an agent with the user's own login: what it reaches, how long, and what keeps it from more. */
import { parseAllowedHost } from "#shared/domain/network/network-hosts.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { loginStatus } from "#shared/domain/worker/agent-report.ts";
import type { AcpDriverOptions } from "../../external-agents/acp-options.ts";
import { type ExternalAgent, inspectLogin } from "../../external-agents/agents-of.ts";
import { findLogin } from "../../external-agents/subscription.ts";
import { defaultProxyLimits, startFilteringProxy } from "../../tools/network/filtering-proxy.ts";
import { upstreamProxyOf } from "../../tools/network/upstream-proxy.ts";
import { EngineRefusal, Interrupted } from "../engine-errors.ts";
import { perRun } from "../kernel/once.ts";
import type { Run, RunReader } from "../ports.ts";
import { trouble } from "../trouble/trouble.ts";

/** A whole task goes through one proxy, and a model may think for long before it says a word. */
const limits = { ...defaultProxyLimits, idleMs: 15 * 60_000, sentBytes: 2 ** 33, receivedBytes: 2 ** 33 };

/** Workers whose time ran out in the turn that is still open. */
const outOfTime = perRun((_: RunReader) => new Set<string>());

/**
 * What keeps an agent from working with the user's login.
 *
 * @returns the login, which is not read
 * @throws EngineRefusal with what to do
 */
export function checkLogin(agent: ExternalAgent): string {
  const { label } = agent.dialect;
  const login = inspectLogin(agent);
  if (login === null) throw new Error(`${label} has no login.`);
  const { isReady, note, remedy } = loginStatus(login);
  const file = findLogin(agent.dialect);
  if (isReady && file !== null) return file;
  throw new EngineRefusal(
    `${label} can't use your login: ${note}.`,
    `${remedy} Or turn off “Use my login” for it in the settings.`,
  );
}

/** The way of a worker's agent to its provider, and to nobody else, while its turn is open. */
export interface ProviderAccess {
  readonly turns: NonNullable<AcpDriverOptions["gateway"]>;
  /** What the agent waits for the user does not count as its time, unless it works on meanwhile. */
  whileUserDecides<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/** Who sends something while the user is asked has worked for so long before it at most (ms). */
const maxQuietMs = 60_000;

/** @param onTimeUp its time for this task is over, and it reaches nobody any more */
export async function openProvider(
  run: Run,
  worker: string,
  { name, dialect }: ExternalAgent,
  { socket, onTimeUp }: { readonly socket: string; readonly onTimeUp: () => void },
): Promise<ProviderAccess> {
  let turn: { workedMs: number; since: number } | null = null;
  let questions = 0;
  let timer: NodeJS.Timeout | undefined;
  const spent = outOfTime(run);
  const leftMs = (): number => leftOf(run, worker).ms - (turn?.workedMs ?? 0);
  const countTime = (maxMs: number): void => {
    if (turn === null) return;
    const now = run.monotonic();
    turn = { workedMs: turn.workedMs + Math.min(now - turn.since, maxMs), since: now };
  };
  const endTime = (): void => {
    clearTimeout(timer);
    spent.add(worker);
    proxy.disconnect();
    onTimeUp();
  };
  const startTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(endTime, Math.max(0, leftMs()));
  };
  const proxy = await startFilteringProxy(socket, {
    allowed: (dialect.subscription?.hosts ?? []).map((host) => {
      const read = parseAllowedHost(host);
      if ("mistake" in read) throw new Error(`"${host}" ${read.mistake}.`);
      return read.allowed;
    }),
    upstream: upstreamProxyOf(process.env),
    limits,
    setting: null,
    isOpen() {
      if (turn === null || spent.has(worker) || !run.mayUseLogin(name)) return false;
      if (questions === 0) return true;
      countTime(maxQuietMs);
      if (leftMs() > 0) return true;
      endTime();
      return false;
    },
    onRefused: ({ message }) => run.appendTranscript(worker, { kind: "notice", text: message }),
  });
  const turns: ProviderAccess["turns"] = {
    openTurn() {
      turns.closeTurn();
      run.append({ kind: "UnmeteredTurnBegan", worker, at: run.now() });
      turn = { workedMs: 0, since: run.monotonic() };
      startTimer();
    },
    closeTurn() {
      clearTimeout(timer);
      proxy.disconnect();
      if (turn === null) return;
      if (questions === 0) countTime(Number.POSITIVE_INFINITY);
      const { workedMs } = turn;
      // A timer may be a moment early.
      const ms = Math.ceil(spent.delete(worker) ? Math.max(workedMs, leftOf(run, worker).ms) : workedMs);
      turn = null;
      run.append({ kind: "UnmeteredTurnEnded", worker, ms });
    },
    idle: async () => undefined,
  };
  return {
    turns,
    async whileUserDecides(ask) {
      if (questions === 0 && turn !== null) {
        countTime(Number.POSITIVE_INFINITY);
        run.append({ kind: "UnmeteredTurnPaused", worker, at: run.now() });
      }
      questions += 1;
      clearTimeout(timer);
      try {
        return await ask();
      } finally {
        questions -= 1;
        if (questions === 0 && turn !== null) {
          turn.since = run.monotonic();
          run.append({ kind: "UnmeteredTurnResumed", worker, at: run.now() });
          startTimer();
        }
      }
    },
    async close() {
      turns.closeTurn();
      await proxy.close();
    },
  };
}

/** What a worker may take of the user's plan for its task, with what the user has allowed since. */
export function unmeteredLimits(
  run: RunReader,
  worker: string,
): { readonly turns: number; readonly ms: number } {
  const { subscriptionMinutes, subscriptionTurns } = run.config.budget;
  const times = 1 + (run.worker(worker).record.unmetered?.extensions ?? 0);
  return { turns: times * subscriptionTurns, ms: times * subscriptionMinutes * 60_000 };
}

function leftOf(run: RunReader, worker: string): { readonly turns: number; readonly ms: number } {
  const max = unmeteredLimits(run, worker);
  const { turns = 0, ms = 0 } = run.worker(worker).record.unmetered ?? {};
  return { turns: max.turns - turns, ms: max.ms - ms };
}

/** Whether a worker has had what it may take of the user's plan. */
export function isUnmeteredSpent(run: RunReader, worker: string): boolean {
  if (run.worker(worker).record.unmetered === null) return false;
  const { turns, ms } = leftOf(run, worker);
  // The last turn may end.
  const isOpen = run.worker(worker).record.unmetered?.openSince != null;
  return turns + (isOpen ? 1 : 0) <= 0 || ms <= 0 || outOfTime(run).has(worker);
}

/** Charges the time of turns that a killed host has left open. Without a host an agent reaches no provider. */
export function chargeInterruptedTurns(run: Run): void {
  for (const [worker, { record }] of run.workers) {
    const { openSince: since = null, pausedAt = null } = record.unmetered ?? {};
    if (since === null) continue;
    const { leftAt } = run.facts.downtime;
    const end = pausedAt ?? (leftAt !== null && leftAt >= since ? leftAt : run.now());
    run.append({ kind: "UnmeteredTurnEnded", worker, ms: Math.max(0, end - since) });
  }
}

/** Asks the user whether a worker may take the same again; its work is saved. */
export async function askForMore(run: Run, worker: string, label: string): Promise<void> {
  const { turns = 0, ms = 0, extensions = 0 } = run.worker(worker).record.unmetered ?? {};
  const used = `${counted(turns, "turn")} and ${counted(Math.ceil(ms / 60_000), "minute")}`;
  const { subscriptionMinutes, subscriptionTurns } = run.config.budget;
  const again = `${counted(subscriptionTurns, "turn")} and ${counted(subscriptionMinutes, "minute")}`;
  const mayContinue = await trouble(run, {
    of: `subscription/${worker}/${extensions}`,
    worker,
    title: `${worker} has reached the limit of your subscription`,
    error: new EngineRefusal(
      `${label} has used your login for ${used} on this task. Its work is saved.`,
      `Retry to allow it ${again} more, or give the task to another agent. budget.subscription_minutes and budget.subscription_turns set the limit.`,
    ),
  });
  if (!mayContinue || run.runEnded.signal.aborted) throw new Interrupted();
  run.append({ kind: "UnmeteredWorkExtended", worker });
}
