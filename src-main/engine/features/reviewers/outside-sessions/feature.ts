import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { createSessionWatch } from "./session-watch.ts";

/** So late is it known that a turn has ended, where nobody told of it. */
const everyMs = 3_000;

/** Agents of a person's own, outside Hox, in the same repository. (AX-2..4, AX-7) */
export const outsideSessions: Feature<Run> = {
  name: "outside-sessions",
  services: (run) => ({ sessions: createSessionWatch(run) }),
  ticks: [{ name: "outside sessions", everyMs: () => everyMs, look: (run) => run.services.sessions.look() }],
};
