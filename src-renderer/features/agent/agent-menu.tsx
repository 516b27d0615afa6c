import { Ellipsis } from "lucide-react";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { Button } from "../../kit/button.tsx";
import { Menu } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { possible } from "./agent-actions.ts";
import { agentEntries } from "./agent-entries.tsx";

/** The button that steers a worker: beside its change in the inspector, and without a word in the list of workers. */
export function AgentMenu({
  worker,
  compact = false,
}: {
  readonly worker: WorkerView;
  readonly compact?: boolean;
}) {
  const run = useHost((state) => state.run);
  const inbox = useHost((state) => state.inbox);
  const can = run ? possible(worker, run, inbox) : null;
  if (!can || can.size === 0) return null;
  return (
    <Menu
      align="end"
      entries={agentEntries(worker.name, can)}
      trigger={
        <Button look="ghost" size="sm" title={`What to do with ${worker.name}`}>
          <Ellipsis size={14} aria-hidden />
          {compact ? <span className="sr-only">{worker.name}</span> : " Agent"}
        </Button>
      }
    />
  );
}
