import { createHash } from "node:crypto";
import { z } from "zod";
import { isAddress, matchesAddress } from "#shared/domain/address.ts";
import type { Tool } from "../../tools/tool-interface.ts";
import type { Run } from "../run/run.ts";
import { orchestratorsOf } from "./chain-of-command.ts";
import { sendMessage } from "./messages.ts";

const informShape = z.strictObject({
  to: z
    .string()
    .refine((to) => isAddress(to) && !to.includes("/"), "must name orchestrators: O-B-2, O-B-* or O-*"),
  text: z.string().min(1).max(20_000),
});

/** Lets an orchestrator write to its peers in the middle of whatever it was asked. The same words are sent once. */
export function informTool(run: Run, name: string): Tool {
  return {
    name: "inform",
    description:
      "Tells other orchestrators something that they may want to know: `to` is a name (O-B-2) or a pattern (O-B-*, O-*). It binds nobody and gets no answer; go on with what you were asked.",
    input: informShape,
    writes: true,
    async run(input) {
      const { to, text } = informShape.parse(input);
      const reached = orchestratorsOf(run).filter(
        (one) => one !== name && matchesAddress(to, { orchestrator: one, agent: null }),
      );
      if (reached.length === 0)
        return {
          ok: false,
          error: "not-found",
          output: `No other orchestrator is called ${to}. There are: ${orchestratorsOf(run).join(", ")}.`,
        };
      const words = createHash("sha256").update(`${to}\n${text}`).digest("hex").slice(0, 16);
      await sendMessage(run, { key: `inform/${name}/${words}`, from: name, to, type: "info", text });
      return { ok: true, output: `Sent to ${reached.join(", ")}.` };
    },
  };
}
