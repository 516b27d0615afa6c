import { z } from "zod";
import type { InvitationView } from "../../domain/places/machine-view.ts";
import { answers, appCommand, nothing } from "./command.ts";

const id = z.string().regex(/^[0-9a-f]{16}$/u, "is not the id of a worker");

/** Workers: machines on which agents work. `app.fleet` shows them. */
export const machineCommands = {
  /** Makes an invitation with which one machine can join. It is shown once and kept nowhere. */
  "machine.invite": appCommand(nothing, answers<InvitationView>()),
  /** A draining one gets nothing new. */
  "machine.setState": appCommand(z.strictObject({ id, state: z.enum(["active", "draining"]) }), nothing),
  /** Revokes the keys; agents there continue elsewhere. */
  "machine.remove": appCommand(z.strictObject({ ids: z.array(id).min(1).max(10_000) }), nothing),
};
