import { Ellipsis } from "lucide-react";
import { memo } from "react";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { Button } from "../../kit/button.tsx";
import { Menu } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { type AgentAction, possible } from "./agent-actions.ts";
import { agentEntries } from "./agent-entries.tsx";

interface AgentMenuProps {
  readonly worker: WorkerView;
  readonly compact?: boolean;
}

/** The button that steers a worker: beside its change in the inspector, and without a word in the list of workers. */
export function AgentMenu({ worker, compact = false }: AgentMenuProps) {
  const actions = useHost(({ run, inbox }) => (run ? [...possible(worker, run, inbox)].join(" ") : ""));
  return actions === "" ? null : <MenuOf name={worker.name} actions={actions} isCompact={compact} />;
}

interface MenuOfProps {
  readonly name: string;
  /** With spaces between them. */
  readonly actions: string;
  readonly isCompact: boolean;
}

// A menu costs more to draw than its row, and a worker speaks far more often than its menu changes.
const MenuOf = memo(function MenuOf({ name, actions, isCompact }: MenuOfProps) {
  return (
    <Menu
      align="end"
      entries={agentEntries(name, new Set(actions.split(" ") as AgentAction[]))}
      trigger={
        <Button look="ghost" size="sm" title={`What to do with ${name}`}>
          <Ellipsis size={14} aria-hidden />
          {isCompact ? <span className="sr-only">{name}</span> : " Agent"}
        </Button>
      }
    />
  );
});
