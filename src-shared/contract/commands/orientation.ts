import { z } from "zod";
import type { Orientation } from "../../domain/orientation/orientation.ts";
import { workerName } from "../fields.ts";
import { answers, toRun } from "./command.ts";

/** Where everybody is, and what they say of it. */
export const orientationCommands = {
  /** Of a worker of the run that goes on, or of the last one; of the run itself where none is named. Null: it has none. */
  "run.orientation": toRun(
    z.strictObject({ worker: workerName.nullable().default(null) }),
    answers<Orientation | null>(),
  ),
};
