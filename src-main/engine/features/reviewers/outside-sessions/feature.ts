import { singleFlight } from "#shared/async/single-flight.ts";
import { orientationHashes } from "#shared/domain/orientation/run-orientation.ts";
import {
  endedTurn,
  type OutsideSession,
  sessionKey,
  sessionKindNames,
  sessionName,
  sessionOrientation,
} from "#shared/domain/sessions/outside-session.ts";
import { claudeFolder, liesIn } from "../../../../sessions/claude-sessions.ts";
import { changedSince, findSessions, sessionExpiryMs } from "../../../../sessions/find-sessions.ts";
import { explain } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { inform, warn } from "../../../kernel/notify.ts";
import { perRun } from "../../../kernel/once.ts";
import type { Run } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";
import type { CheckoutHandle } from "../../../workspaces/workspace-interface.ts";
import type { OrientationOf } from "../../agents/orientation/feature.ts";

/** Delay until the end of an unreported turn is noticed. */
const everyMs = 3_000;

/** The user's own agents, outside Hox, in the same repository. (AX-2..4, AX-7) */
export const outsideSessions: Feature<Run> = {
  name: "outside-sessions",
  ticks: [{ name: "outside sessions", everyMs: () => everyMs, look: (run) => sessionsOf(run).look() }],
};

/** Limits: files of a folder to look at, and changed files of a turn to report. */
const limits = { looked: 20_000, reported: 200 } as const;

/**
 * Watches sessions of other agents in the repository during a run. Costs no process: hooks report to files,
 * and the programs' own session files are read. Writes only which reports the run has received.
 */
export const sessionsOf = perRun((run: Run) => {
  let known: readonly OutsideSession[] = [];
  let lastFailure = "";
  const look = singleFlight(async () => {
    if (!run.config.sessions.enabled || run.runEnded.signal.aborted) {
      known = [];
      return;
    }
    try {
      const found = await currentSessions(run);
      const isNew = JSON.stringify(found) !== JSON.stringify(known);
      known = found;
      notifyOnce(run, found);
      for (const session of found) await hear(run, session);
      if (isNew) run.changed();
      lastFailure = "";
    } catch (error) {
      // Best effort: the next look tries again, and the user is notified once.
      const { message, remedy } = explain(error);
      if (message !== lastFailure && !run.runEnded.signal.aborted)
        warn(run, `Could not read sessions of other agents: ${message}`, remedy);
      lastFailure = message;
    }
  });
  return {
    /** Looks soon; many requests are one look. A turn that ended is appended as `OutsideTurnEnded`. */
    look: () => void look(),
    /** Active ones as of the last look; the newest first. */
    current: () => known,
    /** Whether one works in the workspace of an agent that the user took over, by its `sessionKey`. */
    isInWorkspace(key: string): boolean {
      const session = known.find((one) => sessionKey(one) === key);
      return session !== undefined && placeOf(run, session.folder).workspaceOf !== null;
    },
    /** The orientation of one, by its `sessionKey`; null if it is over. Untrusted text. */
    orientationOf(key: string): OrientationOf | null {
      const session = known.find((one) => sessionKey(one) === key);
      if (session === undefined) return null;
      const value = sessionOrientation(session);
      return { value, hashes: orientationHashes(value) };
    },
  };
});

/** Explains once what is read of the user's files, and where to switch it off. */
function notifyOnce(run: Run, [first]: readonly OutsideSession[]): void {
  if (first === undefined || !run.once.isFirst("sessions-read")) return;
  inform(
    run,
    `${sessionKindNames[first.kind]} is also working in this repository: see ${sessionName(first)} in the overview.`,
    "Hox only reads its files, and sends them to a model only if an archangel reviews sessions. To turn this off, set enabled = false in [sessions].",
  );
}

async function currentSessions(run: Run): Promise<readonly OutsideSession[]> {
  const found = await findSessions({
    root: run.repository.root,
    stateFolder: run.stateFolder,
    now: run.now(),
    maxQuietMs: sessionExpiryMs,
    claude: claudeFolder(),
  });
  return found.filter(({ expiry }) => expiry === null).map(({ session }) => session);
}

/** Takes down that a turn has ended. What ended before the run began is what the run builds on. */
async function hear(run: Run, session: OutsideSession): Promise<void> {
  const key = sessionKey(session);
  const turn = endedTurn(session);
  const before = run.facts.sessionTurns[key];
  if (turn === null || session.turn === null || before?.turn === turn) return;
  const { at } = session.turn;
  if (isWatch(run) && worksForRun(run, session.folder)) return;
  if (at < run.row.startedAt || (before !== undefined && before.at > at)) return;
  const { workspaceOf, place } = placeOf(run, session.folder);
  const since = before?.at ?? session.askedAt ?? run.row.startedAt;
  const paths = await place.files.files({}).list(".", { recursive: true, limit: limits.looked });
  const files = await changedSince(place.folder, paths, since, limits.reported);
  if (run.runEnded.signal.aborted) return;
  run.append({
    kind: "OutsideTurnEnded",
    session: key,
    turn,
    files,
    workspaceOf,
    at,
  });
}

/** Whether a session works in a workspace of an active run, which records it then. */
const worksForRun = (run: Run, folder: string): boolean =>
  run
    .others()
    .some(({ workers }) =>
      [...workers.values()].some(({ record }) => record.folder !== null && liesIn([record.folder], folder)),
    );

/** The folder of a session: the user may have taken over an agent's. */
function placeOf(
  run: Run,
  folder: string,
): {
  readonly workspaceOf: string | null;
  readonly place: { readonly folder: string; readonly files: CheckoutHandle };
} {
  for (const { record } of run.workers.values()) {
    const files = run.workspaces.of(record.name);
    if (files !== null && record.folder !== null && liesIn([record.folder], folder))
      return { workspaceOf: record.name, place: { folder: record.folder, files } };
  }
  return { workspaceOf: null, place: { folder: run.repository.root, files: run.workspaces.home() } };
}
