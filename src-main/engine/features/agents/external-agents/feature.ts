import { agentView } from "../../../conversations/agent-limits.ts";
import { externalChoice } from "../../../conversations/conversation-factory.ts";
import {
  closeExternalAgent,
  closeExternalAgents,
  endLeftAgent,
  openExternalAgents,
} from "../../../conversations/external-agents.ts";
import { openRefusals } from "../../../conversations/refusals.ts";
import { askForMore, chargeInterruptedTurns, isUnmeteredSpent } from "../../../conversations/subscription.ts";
import { bestEffort } from "../../../kernel/best-effort.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import { addressOf, sendMessage, user } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";

/** Whether a worker's agent of another make has nothing to do: the work is finished, or another worker's. */
const isFinished = (run: RunReader, worker: string): boolean => {
  const { status, control } = run.worker(worker).record;
  return status === "review" || status === "done" || status === "abandoned" || control.kind === "reassigned";
};

/** Without the login it has nothing to do with that limit. */
const isLimitReached = (run: Run, worker: string): boolean =>
  (externalChoice(run, worker)?.agent.isSubscription ?? false) && isUnmeteredSpent(run, worker);

/** Agents of other makes end with their work; one that is sent back starts again and resumes. */
export const externalAgents: Feature<Run> = {
  name: "external-agents",
  background: [
    background({
      runsWhilePaused: true,
      desired: (run: Run) =>
        openExternalAgents(run)
          .filter((worker) => isFinished(run, worker))
          .map((worker) => ({ id: `external-agent/${worker}/close`, worker })),
      perform: (run, { worker }) => closeExternalAgent(run, worker),
      failure: ({ worker }) => ({ title: `The agent of ${worker} could not be ended`, worker }),
    }),
    background({
      runsWhilePaused: true,
      desired: (run: Run) => openRefusals(run).map((refusal) => ({ ...refusal, id: refusal.key })),
      async perform(run, { key, worker, text, passed }) {
        await sendMessage(run, { key, from: user, to: addressOf(run, worker), type: "info", text });
        passed();
      },
      failure: ({ worker }) => ({ title: `${worker} could not be told why you refused its call`, worker }),
    }),
  ],
  agents: {
    gate: {
      name: "subscriptions",
      isClosed: isLimitReached,
      async pass(run, worker) {
        if (!isLimitReached(run, worker)) return false;
        await askForMore(run, worker, agentView(run, worker)?.label ?? worker);
        return true;
      },
    },
  },
  async recover(run) {
    chargeInterruptedTurns(run);
    for (const worker of run.workers.keys())
      if (isFinished(run, worker))
        await bestEffort(run, `The agent of ${worker} could not be ended`, () => endLeftAgent(run, worker));
  },
  atRunEnd: (run) => closeExternalAgents(run),
};
