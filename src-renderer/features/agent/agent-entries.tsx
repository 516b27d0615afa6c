import {
  Bot,
  Ellipsis,
  Gauge,
  Hand,
  MessageCircleQuestion,
  MessageSquare,
  Pause,
  Play,
  RotateCcw,
  Undo2,
  UserRoundPlus,
} from "lucide-react";
import { memo } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { Button } from "../../kit/button.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { withRefusals } from "../../registry/registry.ts";
import { useHost } from "../../state/host-store.ts";
import { type AgentAction, act, agentCommands, agentOf, possible } from "./agent-actions.ts";

/** Entries of a menu, in their order; pausing and resuming share a place. */
function agentEntries(
  worker: string,
  can: ReadonlySet<AgentAction>,
  whyNotAsked: string | null,
): readonly MenuEntry[] {
  const entry = (
    action: AgentAction,
    label: string,
    icon: React.ReactNode,
    { danger = false, reason = null }: { readonly danger?: boolean; readonly reason?: string | null } = {},
  ): MenuEntry => ({
    label,
    reason,
    command: agentCommands[action],
    icon,
    danger,
    disabled: !can.has(action),
    onSelect: () => act(action, worker),
  });
  return [
    can.has("resume")
      ? entry("resume", "Resume", <Play size={14} />)
      : entry("pause", "Pause", <Pause size={14} />),
    entry("retry", "Retry", <RotateCcw size={14} />),
    entry("message", "Message…", <MessageSquare size={14} />),
    entry("ask", "Ask…", <MessageCircleQuestion size={14} />, { reason: whyNotAsked }),
    entry("reassign", "Reassign…", <UserRoundPlus size={14} />),
    can.has("give-back")
      ? entry("give-back", "Return task…", <Hand size={14} />)
      : entry("take-over", "Take over", <Hand size={14} />),
    entry("limits", "Budget…", <Gauge size={14} />),
    "separator",
    entry("undo", "Undo this agent’s work…", <Undo2 size={14} />, { danger: true }),
  ];
}

/** The submenu of a change that has an agent; nothing for any other change. */
export function agentSubmenu(changeId: string): readonly MenuEntry[] {
  const agent = agentOf(changeId);
  return agent
    ? [
        {
          label: agent.worker.name,
          icon: <Bot size={14} />,
          items: agentEntries(agent.worker.name, agent.can, whyNot(agent.worker.agent, "ask")),
        },
      ]
    : [];
}

interface AgentMenuProps {
  readonly worker: WorkerView;
  readonly compact?: boolean;
}

/** The button that steers a worker: beside its change in the inspector, and without a word in the list of workers. */
export function AgentMenu({ worker, compact = false }: AgentMenuProps) {
  const actions = useHost(({ run, inbox }) => (run ? [...possible(worker, run, inbox)].join(" ") : ""));
  return actions === "" ? null : (
    <MenuOf
      name={worker.name}
      actions={actions}
      whyNotAsked={whyNot(worker.agent, "ask")}
      isCompact={compact}
    />
  );
}

interface MenuOfProps {
  readonly name: string;
  /** With spaces between them. */
  readonly actions: string;
  readonly whyNotAsked: string | null;
  readonly isCompact: boolean;
}

// A menu costs more to draw than its row, and a worker speaks far more often than its menu changes.
const MenuOf = memo(function MenuOf({ name, actions, whyNotAsked, isCompact }: MenuOfProps) {
  return (
    <Menu
      align="end"
      entries={withRefusals(agentEntries(name, new Set(actions.split(" ") as AgentAction[]), whyNotAsked))}
      trigger={
        <Button look="ghost" size="sm" title={`What to do with ${name}`}>
          <Ellipsis size={14} aria-hidden />
          {isCompact ? <span className="sr-only">{name}</span> : " Agent"}
        </Button>
      }
    />
  );
});
