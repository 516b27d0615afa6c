import { z } from "zod";
import { archangelsOf } from "../../../../config/archangels.ts";
import { erase } from "../../../../tools/agent-tools.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { archangelNamed } from "./due.ts";
import { sendComment } from "./send-comment.ts";

const shape = z.strictObject({
  comment: z.string().min(1).max(200).describe("As it was named to you, as in security-2."),
});

/** Without one nobody is told of anything to pass on. */
export const tellsOrchestrators = (run: RunReader): boolean =>
  archangelsOf(run.config).some(({ isOn, comments }) => isOn && comments === "orchestrator");

/** Lets an orchestrator tell an agent of its own what an archangel said of it. Nothing else reaches agents. */
export const passOnTool = (run: Run, orchestrator: string): Tool =>
  erase<z.infer<typeof shape>>({
    name: "pass_on_comment",
    description:
      "Tells an agent of yours what a reviewer in the background said of its work, as material for it to judge. Use it for a comment that this agent can act on and would miss.",
    input: shape,
    writes: true,
    async run({ comment: id }) {
      const own = run.facts.archangels.comments.filter(
        ({ worker, archangel }) =>
          worker !== null &&
          parentOf(run, worker) === orchestrator &&
          archangelNamed(run, archangel)?.comments === "orchestrator",
      );
      const comment = own.find((one) => one.id === id);
      if (!comment)
        return {
          ok: false,
          error: "not-found",
          output: `You were told of no comment ${id}. There are: ${own.map((one) => one.id).join(", ") || "none"}.`,
        };
      try {
        return { ok: true, output: `Sent to ${await sendComment(run, comment)}.` };
      } catch (error) {
        if (!(error instanceof EngineRefusal)) throw error;
        return { ok: false, error: "not-allowed", output: `${error.message} ${error.remedy}` };
      }
    },
  });
