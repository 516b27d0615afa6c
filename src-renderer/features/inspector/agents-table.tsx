import type { RunView } from "#shared/contract/views/run.ts";
import { useHost } from "../../state/host-store.ts";
import { waitsFor } from "./waits-for.ts";
import { WorkerRow } from "./worker-row.tsx";
import { workerTree } from "./worker-tree.ts";

const figure = "w-px py-1 pl-2 text-right font-normal whitespace-nowrap";

/** Everybody who works on the run, in the order of command: what each does, or waits for and why; a row opens its agent. */
export function AgentsTable({ run }: { readonly run: RunView }) {
  const inbox = useHost((state) => state.inbox);
  const workers = workerTree(run);
  if (workers.length === 0) return null;
  return (
    <section aria-label="Workers">
      <h3 className="sr-only">Agents</h3>
      <table className="w-full tabular-nums">
        <thead>
          <tr className="border-b text-left text-xs text-faint">
            <th scope="col" className="py-1 font-normal">
              Agents
            </th>
            <th scope="col" className={figure} title="Iterations of the agent">
              Turns
            </th>
            <th scope="col" className={figure} title="Share of the model’s context window in use">
              Context
            </th>
            <th scope="col" className={figure}>
              Cost
            </th>
            <th scope="col" className="w-px py-1">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workers.map((placed) => (
            <WorkerRow
              key={placed.worker.name}
              {...placed}
              waitsFor={waitsFor(placed.worker, run, inbox)?.words ?? null}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}
