/** An open repository changes hands between hosts: this one lets go and looks on, or takes over what it looked on at. */
import type { HostEvent } from "#shared/contract/events.ts";
import { noticeOf } from "./notice-of.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { NotOpen } from "./refusal.ts";
import { askForRepository, StillHeld } from "./repository-holder.ts";

export interface LetGoOptions {
  readonly sessions: OpenSessions;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** To all windows. */
  readonly publish: (event: HostEvent) => void;
}

/** Saves everything of a repository, says when it is free, and looks on from then. */
export const createLetGo =
  ({ sessions, inTurn, publish }: LetGoOptions) =>
  (root: string, by: string): Promise<void> =>
    new Promise((free, reject) => {
      inTurn(async () => {
        const session = sessions.get(root);
        if (!session) return free();
        try {
          await sessions.replace(root, `${by}, which took over at ${new Date().toISOString()}`, free);
        } catch (error) {
          // Where it is gone nobody can look on; whoever asked for it gets it all the same.
          await sessions.close(root);
          free();
          publish(noticeOf(`${session.name} was taken over by ${by} and can't be shown here`, error));
          return;
        }
        session.publish(wasTakenOver(by));
      }).catch((error: unknown) => {
        publish(noticeOf("The repository could not be handed over", error));
        reject(error);
      });
    });

/** Works here on a repository, in place of the host that does so. */
export async function takeOver(sessions: OpenSessions, root: string): Promise<void> {
  const session = sessions.get(root);
  const open = session?.shown();
  if (!session || !open) throw new NotOpen();
  if (open.engine) return;
  for (let isSecond = false; ; isSecond = true) {
    if ((await askForRepository(session.stateFolder)) === "ended") session.publish(hasEnded);
    await sessions.replace(root);
    const heldBy = session.shown()?.view().heldBy;
    if (heldBy === undefined) return;
    // Whoever this one has just made way for was not there yet when it was looked for.
    if (isSecond) throw new StillHeld(heldBy);
  }
}

const hasEnded: HostEvent = {
  kind: "notice",
  level: "info",
  text: "The Hox process that had this repository open has exited. Its run resumes here.",
  remedy: null,
};

const wasTakenOver = (by: string): HostEvent => ({
  kind: "notice",
  level: "warning",
  text: `${by} took over this repository. Everything was saved, and the run continues there.`,
  remedy: "To work on it here again, take over.",
});
