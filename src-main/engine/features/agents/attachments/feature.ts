import { z } from "zod";
import { section } from "#shared/domain/text/prompt-text.ts";
import { defineTool, type Tool } from "../../../../tools/tool-interface.ts";
import { attachmentLines, shownAttachment } from "../../../attached-files.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";

const input = z.strictObject({ name: z.string().describe("As it is listed under Attachments.") });

/** Null without attachments, so that no such tool is offered. */
function readAttachment(run: Run): Tool | null {
  if (run.row.input.attachments.length === 0) return null;
  return defineTool<z.infer<typeof input>>({
    name: "read_attachment",
    description:
      "Shows a text or picture that the user attached to the goal. Use it before you plan or do what it is about.",
    input,
    writes: false,
    run: async ({ name }) => shownAttachment(run.journal.attachments(run.id), name),
  });
}

/** The user's attachments of a run; orchestrators receive them when they plan. */
export const attachments: Feature<Run> = {
  name: "attachments",
  agents: {
    tools: (run) => [readAttachment(run)].filter((tool) => tool !== null),
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
