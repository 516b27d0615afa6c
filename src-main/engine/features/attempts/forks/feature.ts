import { closeConversation } from "../../../kernel/close-conversation.ts";
import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { removeForkResults } from "../../../workspaces/fork-results.ts";
import { forkTool, forkToolName } from "./fork-tool.ts";

interface LeaveFork extends Action {
  readonly fork: string;
}

/** Forks that nobody waits for any more, and that still stand there as if they worked. */
const leftForks = ({ facts }: Pick<RunReader, "facts">): readonly LeaveFork[] =>
  Object.values(facts.forks)
    .filter(({ name, isCancelled }) => isCancelled && facts.workers[name]?.status === "in_progress")
    .map(({ name }) => ({ id: `fork-left/${name}`, fork: name }));

/** Conversations that branch: agents and orchestrators begin others in the middle of their own. (HIVE-1 to HIVE-11) */
export const forks: Feature<Run> = {
  name: "forks",
  agents: {
    tools: (run, worker) => (run.config.hive.enabled ? [forkTool(run, worker)] : []),
  },
  orchestratorTools: [
    {
      name: forkToolName,
      isAlwaysAllowed: true,
      isForPlanning: true,
      make: (run, orchestrator) => (run.config.hive.enabled ? forkTool(run, orchestrator) : null),
    },
  ],
  background: [
    background<Run, LeaveFork>({
      desired: leftForks,
      async perform(run, { fork }) {
        closeConversation(run, fork);
        run.append({ kind: "WorkAbandoned", worker: fork });
        run.setActivity(fork, "failed", "");
      },
      failure: ({ fork }) => ({ title: `${fork} could not be closed`, worker: null, isAsked: false }),
    }),
  ],
  async atRunEnd(run) {
    if (run.config.hive.cleanupTempFiles && Object.keys(run.facts.forks).length > 0)
      await removeForkResults(run);
  },
};
