import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { reduceWorker } from "#shared/domain/worker/reduce-workers.ts";
import type { WorkerEvent } from "#shared/domain/worker/worker-events.ts";
import { newWorker } from "#shared/domain/worker/worker-record.ts";
import { agentsOf } from "../../external-agents/agents-of.ts";
import { tempDir } from "../../testing/kit.ts";
import type { Run } from "../ports.ts";
import {
  chargeInterruptedTurns,
  isUnmeteredSpent,
  openProvider,
  type ProviderAccess,
} from "./subscription.ts";

function runWith(openSince: number | null, leftAt: number | null = null) {
  const appended: unknown[] = [];
  const record = { unmetered: { turns: 1, ms: 0, openSince, extensions: 0 } };
  const run = {
    now: () => 90_000,
    append: (event: unknown) => appended.push(event),
    workers: new Map([["agent-1", { record }]]),
    worker: () => ({ record }),
    facts: { downtime: { leftAt } },
    config: { budget: { subscriptionMinutes: 1, subscriptionTurns: 1 } },
  } as unknown as Run;
  return { run, appended };
}

async function openTurns(
  run: Run,
  options = { socket: join(tempDir(), "socket"), onTimeUp: (): unknown => undefined },
): Promise<ProviderAccess> {
  const [agent] = agentsOf({ agent: [], subscriptions: ["claude"] });
  if (agent === undefined) throw new Error("There is no agent.");
  return openProvider(run, "agent-1", agent, options);
}

it("charges a turn that a killed host has left open for the time in which there was a host", () => {
  const charged = (openSince: number | null, leftAt: number | null) => {
    const { run, appended } = runWith(openSince, leftAt);
    chargeInterruptedTurns(run);
    return appended;
  };
  const ended = (ms: number) => [{ kind: "UnmeteredTurnEnded", worker: "agent-1", ms }];
  expect(charged(50_000, null)).toEqual(ended(40_000));
  expect(charged(50_000, 70_000)).toEqual(ended(20_000));
  // An earlier downtime has nothing to do with it.
  expect(charged(50_000, 10_000)).toEqual(ended(40_000));
  expect(charged(null, 70_000)).toEqual([]);
});

it("does not charge the time for which a turn that a killed host has left open waited for the user", async () => {
  const { run, appended } = runWith(null);
  let now = 1_000_000;
  const started = { name: "agent-1", role: "agent", parent: null, title: "", task: null, phase: 1 } as const;
  let record = newWorker(started);
  Object.assign(run, {
    ...{ now: () => now, monotonic: () => now, mayUseLogin: () => true },
    append(event: WorkerEvent) {
      appended.push(event);
      record = reduceWorker(record, event);
    },
    workers: { [Symbol.iterator]: () => [["agent-1", { record }]].values() },
    worker: () => ({ record }),
  });
  const access = await openTurns(run);
  onTestFinished(() => access.close());
  access.turns.openTurn();
  now += 5_000;
  await access.whileUserDecides(async () => {
    now += 3_600_000;
  });
  now += 7_000;
  void access.whileUserDecides(() => new Promise(() => undefined));
  now += 3_600_000;
  chargeInterruptedTurns(run);
  expect(appended.at(-1)).toEqual({ kind: "UnmeteredTurnEnded", worker: "agent-1", ms: 12_000 });
  expect(record.unmetered).toMatchObject({ turns: 1, ms: 12_000, openSince: null, pausedAt: null });
});

it("reaches the limit of turns at the end of the last one", () => {
  expect(isUnmeteredSpent(runWith(50_000).run, "agent-1")).toBe(false);
  expect(isUnmeteredSpent(runWith(null).run, "agent-1")).toBe(true);
});

it("does not count the time in which the user decides, unless the agent works on meanwhile", async () => {
  const { run, appended } = runWith(null);
  let now = 0;
  Object.assign(run, { monotonic: () => now, mayUseLogin: () => true });
  const socket = join(tempDir(), "socket");
  let isTimeUp = false;
  const access = await openTurns(run, { socket, onTimeUp: () => (isTimeUp = true) });
  access.turns.openTurn();
  now += 5_000;
  await access.whileUserDecides(async () => {
    now += 3_600_000;
  });
  now += 7_000;
  access.turns.closeTurn();
  expect(appended.at(-1)).toEqual({ kind: "UnmeteredTurnEnded", worker: "agent-1", ms: 12_000 });

  access.turns.openTurn();
  await access.whileUserDecides(async () => {
    now += 3_600_000;
    const client = connect(socket);
    await once(client, "close");
  });
  expect(isTimeUp).toBe(true);
  access.turns.closeTurn();
  expect(appended.at(-1)).toEqual({ kind: "UnmeteredTurnEnded", worker: "agent-1", ms: 60_000 });
  await access.close();
});
