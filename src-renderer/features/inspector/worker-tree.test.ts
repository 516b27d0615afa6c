import { expect, test } from "vitest";
import type { OrchestratorView, WorkerView } from "#shared/contract/views/run.ts";
import { aWorker } from "#shared/testing/kit.ts";
import { workerTree } from "./agents-table.tsx";

const worker = (name: string, role: WorkerView["role"], parent: string | null): WorkerView =>
  aWorker(name, { role, parent });
const leads = (name: string): OrchestratorView => ({ name }) as OrchestratorView;

test("every worker is below its orchestrator, and parts stay together", () => {
  const placed = workerTree({
    workers: [
      worker("O-A-1", "orchestrator", null),
      worker("O-B-10", "orchestrator", "O-A-1"),
      worker("O-B-2", "orchestrator", "O-A-1"),
      worker("agent-1", "agent", "O-A-1"),
      worker("agent-3", "agent", "O-B-2"),
      worker("agent-2", "agent", "O-B-2"),
      worker("agent-3-fork-1", "fork", "agent-3"),
      worker("agent-3-fork-1-fork-1", "fork", "agent-3-fork-1"),
      worker("o-a-1-fork-1", "fork", "O-A-1"),
      worker("integrator-b-2", "integrator", "O-B-2"),
      worker("validator-1", "validator", "O-A-1"),
      worker("agent-9", "agent", "O-Z-9"),
      // In a list of its own.
      worker("archangel-security", "archangel", "O-A-1"),
    ],
    orchestrators: [leads("O-A-1"), leads("O-B-2"), leads("O-B-10")],
  });
  expect(placed.map(({ worker: { name }, depth }) => `${"  ".repeat(depth)}${name}`)).toEqual([
    "agent-9",
    "O-A-1",
    "  o-a-1-fork-1",
    "  agent-1",
    "  O-B-2",
    "    agent-3",
    "      agent-3-fork-1",
    "        agent-3-fork-1-fork-1",
    "    agent-2",
    "    integrator-b-2",
    "  O-B-10",
  ]);
  expect(placed.filter((one) => one.leads !== null).map((one) => one.leads?.name)).toEqual([
    "O-A-1",
    "O-B-2",
    "O-B-10",
  ]);
});
