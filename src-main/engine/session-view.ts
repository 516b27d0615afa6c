import type { SessionView } from "#shared/contract/views/session.ts";
import { endedTurn, sessionName, sessionOrientation } from "#shared/domain/sessions/outside-session.ts";
import { sessionKey } from "#shared/domain/sessions/session-turns.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { RunReader } from "./ports.ts";
import type { Services } from "./services.ts";

/** A screen shows it in two lines. */
const maxGoalLength = 200;
const maxFiles = 20;

/** Sessions of other agents as of the last look. */
export const sessionViews = (
  run: Pick<RunReader, "facts"> & {
    readonly services: { readonly sessions: Pick<Services["sessions"], "current"> };
  },
): readonly SessionView[] =>
  run.services.sessions.current().map((session) => {
    const { goal, plan, todos } = sessionOrientation(session);
    return {
      name: sessionName(session),
      kind: session.kind,
      goal: startOf(goal, maxGoalLength),
      plan: plan?.source ?? null,
      todos,
      lastActivityAt: session.lastActivityAt,
      isWorking: session.askedAt !== null && endedTurn(session) === null,
      files: (run.facts.sessionTurns[sessionKey(session)]?.files ?? []).slice(0, maxFiles),
      folder: session.folder,
      source: session.source,
    };
  });
