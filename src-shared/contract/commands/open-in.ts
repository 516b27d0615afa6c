import { z } from "zod";
import { openerKinds } from "../../domain/open-in/opener.ts";
import { changeId } from "../fields.ts";
import type { OpenedView, OpenersView } from "../views/open-repositories.ts";
import { answers, appCommand, hostCommand, nothing } from "./command.ts";

/** Files of changes, opened in the user's programs. */
export const openInCommands = {
  /** Programs that the host knows, and which of them it has. */
  "openIn.programs": appCommand(nothing, answers<OpenersView>()),
  /**
   * Opens a change's working copy, or one of its files at a line. If the host did not open the window on its
   * own machine, nothing starts, and the path is returned.
   */
  "openIn.open": hostCommand(
    {
      kind: z.enum(openerKinds),
      changeId,
      /** Of the repository; null: the whole working copy. */
      path: z.string().min(1).max(4096).nullable(),
      line: z.number().int().min(1).nullable(),
    },
    answers<OpenedView>(),
  ),
};
