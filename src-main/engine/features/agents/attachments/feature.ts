import { z } from "zod";
import { section } from "#shared/domain/text/prompt-text.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { defineTool, type Tool } from "../../../../tools/tool-interface.ts";
import { attachmentLines, shownAttachment } from "../../../attached-files.ts";
import { agentView } from "../../../conversations/agent-limits.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";

const input = z.strictObject({ name: z.string().describe("As it is listed under Attachments.") });

/**
 * Null without attachments, so that no such tool is offered.
 *
 * @param worker whose agent may see no pictures; absent: Hox's own, which does
 */
function readAttachment(run: Run, worker?: string): Tool | null {
  if (run.row.input.attachments.length === 0) return null;
  return defineTool<z.infer<typeof input>>({
    name: "read_attachment",
    description:
      "Shows a text or picture that the user attached to the goal. Use it before you plan or do what it is about.",
    input,
    writes: false,
    async run({ name }) {
      const outcome = shownAttachment(run.journal.attachments(run.id), name);
      // Asked with each call: what an agent can do is known once it runs.
      const reason = worker === undefined ? null : whyNot(agentView(run, worker), "images");
      if (reason === null || !outcome.ok || outcome.images === undefined) return outcome;
      return { ok: true, output: `${name} is a picture, and ${reason} Ask the user what is on it.` };
    },
  });
}

/** The user's attachments of a run; orchestrators receive them when they plan. */
export const attachments: Feature<Run> = {
  name: "attachments",
  agents: {
    tools: (run, worker) => [readAttachment(run, worker)].filter((tool) => tool !== null),
    prompt: {
      attachments: (run) => [section("Attachments", attachmentLines(run))],
    },
  },
  orchestratorTools: [
    {
      name: "read_attachment",
      make: (run) => readAttachment(run),
      isAlwaysAllowed: true,
      isForPlanning: true,
    },
  ],
};
