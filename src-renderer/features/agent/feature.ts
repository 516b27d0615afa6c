import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { type AgentAction, act, agentCommands, possible, selectedAgent } from "./agent-actions.ts";
import { AgentDialogs } from "./agent-dialogs.tsx";
import { agentSubmenu } from "./agent-entries.tsx";

const titles: Readonly<Record<AgentAction, readonly [title: string, words: string]>> = {
  pause: ["Agent of the selected change: pause", "hold stop kill end halt wait"],
  resume: ["Agent of the selected change: resume", "continue unpause"],
  retry: ["Agent of the selected change: retry", "again restart failed"],
  message: ["Agent of the selected change: message…", "write tell say"],
  ask: ["Agent of the selected change: ask…", "question why what fork"],
  reassign: ["Agent of the selected change: reassign its task…", "other model another fresh replace"],
  "take-over": ["Agent of the selected change: take over its task", "myself own edit hands"],
  "give-back": ["Agent of the selected change: return its task…", "hands give back done finish"],
  limits: ["Agent of the selected change: budget…", "limit dollars tokens iterations extend"],
  undo: ["Agent of the selected change: undo its work…", "revert restore"],
};

/** The palette's way to steer the agent of the change that is selected. */
const agentActions: readonly Action[] = (
  Object.entries(titles) as [AgentAction, (typeof titles)[AgentAction]][]
).map(([action, [title, words]]) => ({
  id: `agent-${action}`,
  title,
  words: `${words} worker`,
  group: "Run",
  command: agentCommands[action],
  available: () => selectedAgent()?.can.has(action) ?? false,
  run: () => {
    const agent = selectedAgent();
    if (agent) act(action, agent.worker.name);
  },
}));

/** Pauses or resumes any agent of the run, without selecting it first. */
function pauseCommands(): readonly Action[] {
  const { run, inbox } = useHost.getState();
  if (!run) return [];
  return run.workers.flatMap((worker) => {
    const can = possible(worker, run, inbox);
    return (["pause", "resume"] as const)
      .filter((action) => can.has(action))
      .map((action) => ({
        id: `${action}-${worker.name}`,
        title: `${action === "pause" ? "Pause" : "Resume"} ${worker.name}: ${shownLine(worker.title)}`,
        group: "Agents" as const,
        command: agentCommands[action],
        words: action === "pause" ? "stop kill end halt abort agent worker" : "continue start agent worker",
        run: () => act(action, worker.name),
      }));
  });
}

/** Steering one agent. */
export const agent: Feature = {
  actions: agentActions,
  commands: pauseCommands,
  dialogs: [AgentDialogs],
  changeMenu: { order: 1, entriesOf: agentSubmenu },
};
