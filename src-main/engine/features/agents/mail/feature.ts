import { promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import { hasUnread } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { orchestratorsOf, rootOf } from "../../../workers/hierarchy.ts";
import { informTool } from "./inform-tool.ts";
import { noteTool } from "./note-tool.ts";
import { deliverToOrchestrator, unreadOf } from "./peer-messages.ts";
import { messagesToPutAway, putAwayMessages } from "./put-away.ts";
import { messageCommands } from "./write-to-worker.ts";

interface DeliverMessages extends Action {
  readonly orchestrator: string;
}

/** Messages to orchestrators, who may sleep; an agent reads its own with its next prompt. */
export const mail: Feature<Run> = {
  name: "mail",
  commands: messageCommands,
  agents: {
    tools: (run, worker) => [noteTool(run, worker)],
    refuseDone: {
      name: "messages",
      why: (run, { worker, delivered }) =>
        hasUnread(run, worker, delivered)
          ? "the user has written to you meanwhile. Read it under Messages and do what it says."
          : null,
    },
    prompt: {
      messages: (_, { messages }) => [
        section(
          "Messages",
          messages.map((message) => promptLine`- From ${message.from}: ${message.text}`),
        ),
      ],
      notes: (run, { worker }) => [
        section(
          "Your notes so far",
          run.worker(worker).record.remarks.map((note) => promptLine`- ${note}`),
        ),
      ],
    },
  },
  orchestratorTools: [
    { name: "inform", isAlwaysAllowed: true, make: informTool },
    { name: "report_done", answers: { message: 1, "user message": 1 } },
  ],
  background: [
    background<Run, DeliverMessages>({
      desired: (run) =>
        orchestratorsOf(run)
          .filter((orchestrator) => unreadOf(run, orchestrator).length > 0)
          .map((orchestrator) => ({ id: `messages/${orchestrator}`, orchestrator })),
      perform: (run, { orchestrator }) => deliverToOrchestrator(run, orchestrator),
      failure: ({ orchestrator }) => ({
        title: `A message could not be delivered to ${orchestrator}`,
        worker: orchestrator,
        isAsked: true,
      }),
    }),
    background<Run, Action>({
      desired: (run) => (messagesToPutAway(run).changes.length > 0 ? [{ id: "messages/put-away" }] : []),
      perform: putAwayMessages,
      failure: (_, run) => ({
        title: "Read messages could not be removed from the graph",
        worker: rootOf(run),
        isAsked: false,
      }),
    }),
  ],
};
