/** A recording of a long run: many agents, many iterations, a graph with every operation. */

import type { Recording } from "../../src-main/replay/recording.ts";
import { smallRecording } from "../../src-main/replay/testing/any-recording.ts";
import type { ConversationRow } from "../../src-shared/domain/conversation/conversation.ts";
import type { Change } from "../../src-shared/graph/change.ts";
import type { RecordedEvent, RunEvent } from "../../src-shared/run/events.ts";

const longRun = { agents: 40, iterations: 100, turns: 5, graphs: 400 } as const;

const minuteMs = 60_000;
const root = "O-A-1";

export function longRecording(): Recording {
  const plain = smallRecording();
  const begun = plain.startedAt;
  const names = Array.from({ length: longRun.agents }, (_, index) => `agent-${index + 1}`);
  const moments: RecordedEvent[] = [];
  const rows = new Map<string, ConversationRow[]>(names.map((name) => [name, []]));
  const add = (at: number, event: RunEvent): void => void moments.push({ at, event });
  add(begun, {
    kind: "StageMoved",
    orchestrator: root,
    event: { kind: "StartOrchestration", limits: { repairRounds: 2, autoAdvance: true } },
  });
  for (const name of names)
    add(begun, {
      kind: "WorkerJoined",
      worker: name,
      record: { name, role: "agent", parent: root, title: `Work of ${name}`, task: name },
    });
  for (let iteration = 1; iteration <= longRun.iterations; iteration++)
    for (const [place, name] of names.entries()) {
      const at = begun + iteration * minuteMs + place * 1_000;
      talk(rows.get(name) ?? [], at, iteration);
      add(at, { kind: "SummaryWritten", worker: name, summary: `What iteration ${iteration} did.` });
      add(at, iterationEnded(name, iteration, at));
    }
  return smallRecording({
    moments,
    conversations: Object.fromEntries(rows),
    graphs: graphsOf(names, begun),
    stage: "executing",
  });
}

const iterationEnded = (worker: string, iteration: number, at: number): RunEvent => ({
  kind: "IterationEnded",
  worker,
  iteration,
  status: "in_progress",
  checks: [
    {
      name: "npm test",
      command: "npm test",
      speed: "fast",
      outcome: iteration % 3 === 0 ? "failed" : "passed",
      ms: 900,
      output: iteration % 3 === 0 ? `1 of 120 failed in iteration ${iteration}` : "",
    },
  ],
  contradicts: null,
  hasConflict: false,
  hasProgressed: true,
  stalledAfter: 5,
  at,
});

function talk(rows: ConversationRow[], at: number, iteration: number): void {
  rows.push({
    index: rows.length,
    at,
    kind: "prompt",
    text: `[TASK] Go on.\n\nIteration ${iteration}.`,
    iteration,
  });
  for (let turn = 0; turn < longRun.turns; turn++) {
    const id = `${iteration}-${turn}`;
    const path = `src/part-${turn}.ts`;
    rows.push({
      index: rows.length,
      at: at + turn,
      kind: "tool-call",
      id,
      tool: "read_file",
      input: { path },
    });
    rows.push({
      index: rows.length,
      at: at + turn,
      kind: "tool-result",
      id,
      tool: "read_file",
      output: `export const part = ${iteration * turn};\n`.repeat(20),
      error: null,
      ms: 3,
    });
  }
}

const hex = (number: number): string => number.toString(16).padStart(40, "0");
const letters = (number: number): string =>
  [...number.toString(16).padStart(32, "0")]
    .map((sign) => "zyxwvutsrqponmlk"[Number.parseInt(sign, 16)])
    .join("");

/** One agent after the other rewrites its change. */
function graphsOf(names: readonly string[], begun: number): Recording["graphs"] {
  const changes: Change[] = [];
  const newest = new Map<string, number>();
  const write = (name: string, index: number, at: number): void => {
    const change: Change = {
      commitId: hex(changes.length + 1),
      changeId: letters(index + 1),
      parents: [hex(0)],
      description: `Work of ${name}\n\nHox-Run: run1\nHox-Agent: ${name}\nHox-Kind: task`,
      author: { name: "a user", email: "" },
      timestamp: at,
      metadata: { run: "run1", agent: name, kind: "task" },
      immutable: false,
      divergent: false,
      conflict: false,
    };
    newest.set(name, changes.push(change) - 1);
  };
  for (const [index, name] of names.entries()) write(name, index, begun);
  const stepMs = (longRun.iterations * minuteMs) / longRun.graphs;
  const graphs = Array.from({ length: longRun.graphs }, (_, step) => {
    const at = begun + Math.round((step + 1) * stepMs);
    const index = step % names.length;
    write(names[index] ?? "", index, at);
    return {
      at,
      operation: hex(step + 1).padStart(128, "a"),
      rows: [...newest.values()].reverse(),
      refs: { bookmarks: {}, workspaces: {} },
    };
  });
  return { changes, graphs };
}
