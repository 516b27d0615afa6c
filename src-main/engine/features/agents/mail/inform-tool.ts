import { createHash } from "node:crypto";
import { z } from "zod";
import { isAddress, matchesAddress } from "#shared/domain/graph-words/address.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import { listenersTo, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { orchestratorsOf } from "../../../workers/hierarchy.ts";

const informShape = z.strictObject({
  to: z
    .string()
    .refine(isAddress, "must be an address: orchestrators (O-B-2, O-B-*, O-*) or agents of yours (O-A-1/*)"),
  text: z.string().min(1).max(20_000),
});

/**
 * Lets an orchestrator write to its peers and to its own agents in the middle of whatever it was asked. The same words
 * are sent once. (HOX-4.2, HOX-4.3)
 */
export function informTool(run: Run, name: string): Tool {
  return {
    name: "inform",
    description: `Tells others something that they may want to know: \`to\` is an orchestrator (O-B-2), a pattern (O-B-*, O-*), one of your agents (${name}/agent-2) or all of them (${name}/*). Use it for facts that change what they do. It gets no answer; continue with what you were asked.`,
    input: informShape,
    writes: true,
    async run(input) {
      const { to, text } = informShape.parse(input);
      const ofAgents = to.includes("/");
      const reached = ofAgents
        ? listenersTo(run, to)
        : orchestratorsOf(run).filter(
            (one) => one !== name && matchesAddress(to, { orchestrator: one, agent: null }),
          );
      // Agents hear from their own parent only.
      if (ofAgents && !to.startsWith(`${name}/`)) {
        const parent = to.split("/")[0] ?? to;
        return {
          ok: false,
          error: "not-allowed",
          output: `${to} is not of your part: agents hear from their own orchestrator. Tell ${parent}.`,
        };
      }
      if (reached.length === 0)
        return {
          ok: false,
          error: "not-found",
          output: ofAgents
            ? `No agent works below ${to}. Your agents are: ${listenersTo(run, `${name}/*`).join(", ") || "none"}.`
            : `No other orchestrator is called ${to}. There are: ${orchestratorsOf(run).join(", ")}.`,
        };
      const words = createHash("sha256").update(`${to}\n${text}`).digest("hex").slice(0, 16);
      await sendMessage(run, { key: `inform/${name}/${words}`, from: name, to, type: "info", text });
      return { ok: true, output: `Sent to ${reached.join(", ")}.` };
    },
  };
}
