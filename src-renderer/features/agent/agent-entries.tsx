import {
  Bot,
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
import type { MenuEntry } from "../../kit/menu.tsx";
import { type AgentAction, act, agentOf } from "./agent-actions.ts";

/** Entries of a menu, in their order; pausing and resuming share a place. */
export function agentEntries(worker: string, can: ReadonlySet<AgentAction>): readonly MenuEntry[] {
  const entry = (action: AgentAction, label: string, icon: React.ReactNode, danger = false): MenuEntry => ({
    label,
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
    entry("ask", "Ask…", <MessageCircleQuestion size={14} />),
    entry("reassign", "Reassign…", <UserRoundPlus size={14} />),
    can.has("give-back")
      ? entry("give-back", "Return task…", <Hand size={14} />)
      : entry("take-over", "Take over", <Hand size={14} />),
    entry("limits", "Budget…", <Gauge size={14} />),
    "separator",
    entry("undo", "Undo this agent’s work…", <Undo2 size={14} />, true),
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
          items: agentEntries(agent.worker.name, agent.can),
        },
      ]
    : [];
}
