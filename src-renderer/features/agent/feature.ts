import type { Feature } from "../../registry/feature.ts";
import { AgentDialogs } from "./agent-dialogs.tsx";
import { agentSubmenu } from "./agent-entries.tsx";
import { agentActions } from "./agent-palette.ts";

/** Steering one agent. */
export const agent: Feature = {
  actions: agentActions,
  dialogs: [AgentDialogs],
  changeMenu: { order: 1, entriesOf: agentSubmenu },
};
