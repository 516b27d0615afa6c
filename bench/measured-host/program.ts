/**
 * The real host in a separate process, with a user who agrees to everything and a stopwatch:
 * `node --expose-gc program.ts <repository> <state folder>`. The model's address and key come from the environment.
 */
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { EngineRefusal } from "../../src-main/engine/engine-errors.ts";
import { createHostState } from "../../src-main/host.ts";
import type { CardAnswer, InboxItem, InboxKind } from "../../src-shared/contract/cards.ts";
import type { RunView } from "../../src-shared/contract/views/run.ts";
import type { ConversationRow } from "../../src-shared/domain/conversation/conversation.ts";
import { totalTokens } from "../../src-shared/domain/spending/usage.ts";
import type { Asked, HostMessage, Measures, RunSeen } from "./messages.ts";

const tell = (message: HostMessage): void => {
  process.send?.(message);
};

const agrees: Readonly<Partial<Record<InboxKind, CardAnswer>>> = {
  preflight: { kind: "approve" },
  plan: { kind: "approve" },
  "align-request": { kind: "answer", text: "As the contract says." },
  mutation: { kind: "approve" },
  votes: { kind: "approve" },
  "merge-request": { kind: "approve" },
  pattern: { kind: "approve" },
  land: { kind: "approve", bookmark: "main" },
};

/** Milliseconds between two looks at the clock; the histogram counts them in, so they are taken out again. */
const every = 2;
const loop = monitorEventLoopDelay({ resolution: every });
loop.enable();
let cpu = process.cpuUsage();

const [root = "", stateFolder = ""] = process.argv.slice(2);
const host = await createHostState({ shell: "browser", version: "measured", stateFolder });
await host.open(root);
const engine = host.engine();

function seenOf(run: RunView): RunSeen {
  const ms: Record<string, number> = {};
  for (const { msByPhase } of run.metrics)
    for (const [phase, spent] of Object.entries(msByPhase)) ms[phase] = (ms[phase] ?? 0) + spent;
  return {
    id: run.id,
    stage: run.stage,
    phase: run.phase,
    paused: run.paused,
    failure: run.failure,
    workers: run.workers.map(({ name, role, state, activity, status, iteration, workspace, title }) => ({
      name,
      role,
      state,
      activity,
      status,
      iteration,
      workspace,
      title,
    })),
    tokens: totalTokens(run.budget.spent.usage),
    microDollars: run.microDollars,
    radar: run.radar,
    ms,
  };
}

/** Work that is missing from a result stays out, as a user decides who finds it not needed. */
function answerTo(item: InboxItem): CardAnswer | undefined {
  if (item.kind !== "land" || item.missing.length === 0) return agrees[item.kind];
  tell({ kind: "notice", level: "decided", text: "Lands although work is missing." });
  return { kind: "approve", bookmark: "main", without: "It is not needed." };
}

const answered = new Set<string>();
function consider(items: readonly InboxItem[]): void {
  for (const item of items) {
    if (answered.has(item.nonce)) continue;
    answered.add(item.nonce);
    const decision = answerTo(item);
    if (decision === undefined) tell({ kind: "card", card: item });
    else
      engine
        .execute("inbox.answer", {
          run: item.run,
          id: item.id,
          nonce: item.nonce,
          shown: item.shown,
          decision,
        })
        // What was shown is no longer so: the card comes again.
        .catch((error: Error) =>
          tell({ kind: "notice", level: "refused", text: `${item.kind}: ${error.message}` }),
        );
  }
}

async function measure(): Promise<Measures> {
  // First what a collection would spoil.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - every);
  const delay = { p50: late(loop.percentile(50)), p99: late(loop.percentile(99)), max: late(loop.max) };
  const spent = process.cpuUsage(cpu);
  // Twice, for what the first pass lets go of.
  for (let pass = 0; pass < 2; pass++) {
    globalThis.gc?.();
    await setImmediate();
  }
  const measures: Measures = {
    rss: process.memoryUsage.rss(),
    peak: process.resourceUsage().maxRSS * 1024,
    heap: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().length,
    descriptors: process.platform === "linux" ? readdirSync("/proc/self/fd").length : null,
    delay,
    cpu: (spent.user + spent.system) / 1000,
    jj: host.opened().repository.processCount(),
  };
  cpu = process.cpuUsage();
  loop.reset();
  return measures;
}

/** Calls whose results are on their way. */
const calls = new Map<string, unknown>();
function tellTools(worker: string, rows: readonly ConversationRow[]): void {
  for (const row of rows) {
    if (row.kind === "tool-call") calls.set(row.id, row.input);
    if (row.kind !== "tool-result") continue;
    const { path } = (calls.get(row.id) ?? {}) as { readonly path?: unknown };
    calls.delete(row.id);
    const { tool, error, at } = row;
    tell({
      kind: "tool",
      tool: { worker, tool, path: typeof path === "string" ? path : null, hasFailed: error !== null, at },
    });
  }
}

engine.listen((event) => {
  if (event.kind === "run" || event.kind === "run-update") {
    const { run } = engine.state();
    if (run) tell({ kind: "run", run: seenOf(run) });
  } else if (event.kind === "conversation") tellTools(event.worker, event.rows);
  else if (event.kind === "notice") tell({ kind: "notice", level: event.level, text: event.text });
  // The card is on the table before it is answered.
  else if (event.kind === "inbox") void setImmediate().then(() => consider(event.items));
});

process.on("message", async (asked: Asked) => {
  try {
    if (asked.kind === "start")
      await engine.execute("run.start", {
        goal: asked.goal,
        orchestrators: null,
        maxTokens: asked.maxTokens ?? null,
        maxMicroDollars: null,
        onto: "main",
        rehearsal: null,
        model: asked.model ?? "claude-haiku-5-5",
        quick: asked.quick ?? false,
        ...(asked.on === undefined ? {} : { on: asked.on }),
      });
    else if (asked.kind === "steer")
      await engine.execute(asked.command, asked.input as never).catch((error: Error) =>
        tell({
          kind: "notice",
          level: error instanceof EngineRefusal ? "refused" : "error",
          text: `${asked.command}: ${error.message}`,
        }),
      );
    else if (asked.kind === "measure") tell({ kind: "measures", measures: await measure() });
    else {
      await host.close();
      process.exit(0);
    }
  } catch (error) {
    tell({ kind: "refused", error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
// The parent has died, so that nothing else would end this.
process.on("disconnect", () => process.exit(1));
tell({ kind: "ready" });
consider(engine.state().inbox);
