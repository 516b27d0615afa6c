import type { Feature } from "../../registry/feature.ts";
import { AgentDialogs } from "./agent-dialogs.tsx";
import { agentSubmenu } from "./agent-entries.tsx";
import { agentActions, pauseCommands } from "./agent-palette.ts";

/** Steering one agent. */
export const agent: Feature = {
  actions: agentActions,
  commands: pauseCommands,
  dialogs: [AgentDialogs],
  changeMenu: { order: 1, entriesOf: agentSubmenu },
};
